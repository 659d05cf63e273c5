import { z } from "zod";
import type { DutyType, Shift } from "../domain/duty.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Random } from "../domain/ports/clock.ts";
import type { DutyRenderer } from "../domain/ports/duty-renderer.ts";
import type { DutyRow, DutyStore } from "../domain/ports/duty-store.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { PostLine, Posts, Stands, WantedPost } from "../domain/ports/posts.ts";
import type { DutyBook } from "./duty-book.ts";
import { shiftIn } from "./duty-rows.ts";
import type { Settled } from "./settle.ts";

export interface ShiftPostsPorts {
  readonly store: DutyStore;
  readonly book: Pick<DutyBook, "page">;
  readonly bindings: Pick<Bindings, "list">;
  readonly posts: Posts;
  readonly renderer: DutyRenderer;
  readonly notifier: Pick<Notifier, "guild">;
  readonly random: Random;
  report(what: string, error: unknown): void;
}

interface ShiftRef {
  readonly guildId: string;
  /** Of the row of the shift, and of its post. */
  readonly id: string;
}

const post = z.object({
  channelId: z.string(),
  nonce: z.string(),
  messageId: z.string().optional(),
  isMarked: z.boolean().optional(),
});

/** The message of each shift in the channel of its type: posted when it begins, and says how it ended. */
export class ShiftPosts {
  readonly #ports: ShiftPostsPorts;
  readonly #line: PostLine<ShiftRef>;
  /** Posts that this process began: another may have got through with the others. */
  readonly #own = new Set<string>();
  readonly #recovered = new Set<string>();

  constructor(ports: ShiftPostsPorts) {
    this.#ports = ports;
    this.#line = ports.posts.line<ShiftRef>({
      name: "the message of a shift",
      classes: { post: "first", edit: "change" },
      keyOf,
      guildOf: ({ guildId }) => guildId,
      wanted: (ref) => this.#wanted(ref),
      isIt: ({ id }, posted) => ports.renderer.isShift(partsOf(id), posted),
      onStands: (ref, stands) => this.#onStands(ref, stands),
      onRefused: async (ref, { reason }) => {
        const row = await this.#row(ref);
        if (row !== undefined && reason !== "message-gone") {
          const { channelId } = post.parse(JSON.parse(row.body));
          await ports.notifier.guild(ref.guildId, ports.renderer.closed(channelId));
        }
        await ports.store.write({ drop: [{ guildId: ref.guildId, kind: "post", id: ref.id }] });
        return "over";
      },
    });
  }

  /** Shifts were worked out anew. Never rejects; what fails comes again the next time. */
  async onSettled(guildId: string, settled: Settled, types: readonly DutyType[]): Promise<void> {
    const isPosted = types.some(({ channelId }) => channelId !== undefined);
    if (!isPosted) return;
    try {
      const rows = await this.#ports.store.rows({ guildId, kinds: ["post"], isOpen: true });
      const known = new Set(rows.map(({ id }) => id));
      for (const shift of settled.open) await this.#begin(guildId, shift, { types, known });
      const ended = new Set(settled.closed.map(idOf));
      const isFirst = !this.#recovered.has(guildId);
      this.#recovered.add(guildId);
      for (const { id } of rows) if (isFirst || ended.has(id)) this.#line.show({ guildId, id });
      // What is over without having been seen to begin, such as a shift between two starts of the bot.
      for (const shift of settled.closed) await this.#begin(guildId, shift, { types, known });
    } catch (error) {
      this.#ports.report("a shift could not be posted", error);
    }
  }

  async #begin(
    guildId: string,
    shift: Shift,
    { types, known }: { readonly types: readonly DutyType[]; readonly known: ReadonlySet<string> },
  ): Promise<void> {
    const channelId = types.find(({ id }) => id === shift.typeId)?.channelId;
    const id = idOf(shift);
    // Somebody who was never seen is posted nowhere.
    if (channelId === undefined || known.has(id) || shift.parts.length === 0) return;
    const nonce = this.#ports.random.id().slice(0, 25);
    this.#own.add(`${guildId} ${id}`);
    await this.#ports.store.write({ put: [postRow(guildId, shift, { channelId, nonce })] });
    this.#line.show({ guildId, id });
  }

  async #wanted(ref: ShiftRef): Promise<WantedPost | undefined> {
    const row = await this.#row(ref);
    const shift = await this.#shift(ref);
    if (row === undefined || shift === undefined) return undefined;
    const { setup } = await this.#ports.book.page(ref.guildId);
    const type = setup.types.find(({ id }) => id === shift.typeId);
    if (type === undefined) return undefined;
    const names = new Map((await this.#ports.bindings.list(ref.guildId)).map(({ id, name }) => [id, name]));
    const body = this.#ports.renderer.shift(shift, type, (id) => names.get(id) ?? "an unlinked server");
    const { channelId, nonce, messageId, isMarked } = post.parse(JSON.parse(row.body));
    const isDoubtful = messageId === undefined && !this.#own.has(keyOf(ref));
    return { channelId, nonce, messageId, isMarked, body, isDoubtful, sinceMs: shift.fromS * 1_000 };
  }

  async #onStands(ref: ShiftRef, { kind, messageId, isMarked }: Stands): Promise<void> {
    const row = await this.#row(ref);
    if (row === undefined) return;
    const { channelId, nonce } = post.parse(JSON.parse(row.body));
    // What says how it ended for good is done with.
    const [shift] = await this.#ports.store.rows({ guildId: ref.guildId, kinds: ["shift"], id: ref.id });
    const untilS = kind === "found" ? undefined : shift?.untilS;
    const body = JSON.stringify({ channelId, nonce, messageId, isMarked });
    await this.#ports.store.write({ put: [{ ...row, untilS, body }] });
  }

  async #row({ guildId, id }: ShiftRef): Promise<DutyRow | undefined> {
    const [row] = await this.#ports.store.rows({ guildId, kinds: ["post"], id });
    return row;
  }

  async #shift({ guildId, id }: ShiftRef): Promise<Shift | undefined> {
    const [row] = await this.#ports.store.rows({ guildId, kinds: ["shift"], id });
    return row && shiftIn(row);
  }
}

function postRow(guildId: string, shift: Shift, body: z.infer<typeof post>): DutyRow {
  const { userId, fromS } = shift;
  return { guildId, kind: "post", id: idOf(shift), userId, playerId: 0, fromS, body: JSON.stringify(body) };
}

function idOf({ userId, id }: Pick<Shift, "userId" | "id">): string {
  return `${userId} ${id}`;
}

function partsOf(id: string): Pick<Shift, "userId" | "id"> {
  const at = id.indexOf(" ");
  return { userId: id.slice(0, at), id: id.slice(at + 1) };
}

function keyOf({ guildId, id }: ShiftRef): string {
  return `${guildId} ${id}`;
}
