import { z } from "zod";
import type { DutyType, Shift } from "../domain/duty.ts";
import type { SinkRefusalReason } from "../domain/failure.ts";
import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { MessageBody } from "../domain/message.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Random } from "../domain/ports/clock.ts";
import type { DutyRenderer } from "../domain/ports/duty-renderer.ts";
import type { DutyRow, DutyStore } from "../domain/ports/duty-store.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { PostLine, Posts, Stands, WantedPost } from "../domain/ports/posts.ts";
import type { QuotaResult } from "../domain/quota.ts";
import type { DutyBook } from "./duty-book.ts";
import { resultIn, resultRow, shiftIn } from "./duty-rows.ts";
import type { Settled } from "./settle.ts";

export interface DutyPostsPorts {
  readonly store: DutyStore;
  readonly book: Pick<DutyBook, "page">;
  readonly bindings: Pick<Bindings, "list">;
  readonly posts: Posts;
  readonly renderer: DutyRenderer;
  readonly notifier: Pick<Notifier, "guild">;
  readonly random: Random;
  zoneOf(guildId: string): Promise<string>;
  report(what: string, error: unknown): void;
}

interface PostRef {
  readonly guildId: string;
  /** Of the row of the shift, and of its post; or of a list of a quota, with `RESULT` before it. */
  readonly id: string;
}

const RESULT = "result ";

const post = z.object({
  channelId: z.string(),
  nonce: z.string(),
  messageId: z.string().optional(),
  isMarked: z.boolean().optional(),
});

/** The message of each shift in the channel of its type, which says how it ended; and the lists of quotas. */
export class DutyPosts {
  readonly #ports: DutyPostsPorts;
  readonly #line: PostLine<PostRef>;
  /** Posts that this process began: another may have got through with the others. */
  readonly #own = new Set<string>();
  readonly #recovered = new Set<string>();
  /** Channels of which a guild was told that they refuse messages, until one is taken. */
  readonly #told = new Set<string>();
  readonly #mutex = new KeyedMutex();

  constructor(ports: DutyPostsPorts) {
    this.#ports = ports;
    this.#line = ports.posts.line<PostRef>({
      name: "the message of a shift",
      classes: { post: "first", edit: "change" },
      keyOf,
      guildOf: ({ guildId }) => guildId,
      wanted: (ref) => this.#wanted(ref),
      isIt: ({ id }, posted) => ports.renderer.isPost(id, posted),
      onStands: (ref, stands) => this.#onStands(ref, stands),
      onRefused: (ref, { reason }) => this.#onRefused(ref, reason),
    });
  }

  /** Shifts were worked out anew. Never rejects; what fails comes again the next time. */
  async onSettled(guildId: string, settled: Settled, types: readonly DutyType[]): Promise<void> {
    if (this.#recovered.has(guildId) && types.every(({ channelId }) => channelId === undefined)) return;
    // One after the other: with a slow database the next is there before this one has read what stands.
    await this.#mutex.take(guildId, () => this.#post(guildId, settled, types));
  }

  /** Resolves when what was begun is written. */
  idle(): Promise<void> {
    return this.#mutex.idle();
  }

  async #post(guildId: string, settled: Settled, types: readonly DutyType[]): Promise<void> {
    const isFirst = !this.#recovered.has(guildId);
    try {
      const rows = await this.#ports.store.rows({ guildId, kinds: ["post"], isOpen: true });
      const known = new Set(rows.map(({ id }) => id));
      for (const shift of settled.open) await this.#begin(guildId, shift, { types, known });
      const ended = new Set(settled.closed.map(idOf));
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
    await this.#ports.store.write({ put: [postRow({ guildId, id }, shift, { channelId, nonce })] });
    this.#line.show({ guildId, id });
  }

  /** Keeps the list of a quota whose period is over, and posts it: one write, so that what is kept is posted too. */
  async keepResult(guildId: string, channelId: string | undefined, result: QuotaResult): Promise<void> {
    const kept = resultRow(guildId, result);
    if (channelId === undefined) return await this.#ports.store.write({ put: [kept] });
    const ref = { guildId, id: `${RESULT}${kept.id}` };
    const nonce = this.#ports.random.id().slice(0, 25);
    this.#own.add(keyOf(ref));
    const of = { userId: "", fromS: result.untilS };
    await this.#ports.store.write({ put: [kept, postRow(ref, of, { channelId, nonce })] });
    this.#line.show(ref);
  }

  async #wanted(ref: PostRef): Promise<WantedPost | undefined> {
    const row = await this.#row(ref);
    const body = row && (await this.#body(ref));
    if (row === undefined || body === undefined) return undefined;
    const { channelId, nonce, messageId, isMarked } = post.parse(JSON.parse(row.body));
    const isDoubtful = messageId === undefined && !this.#own.has(keyOf(ref));
    return { channelId, nonce, messageId, isMarked, body, isDoubtful, sinceMs: row.fromS * 1_000 };
  }

  async #body({ guildId, id }: PostRef): Promise<MessageBody | undefined> {
    const { store, book, renderer, bindings } = this.#ports;
    const { setup } = await book.page(guildId);
    if (id.startsWith(RESULT)) {
      const [row] = await store.rows({ guildId, kinds: ["result"], id: id.slice(RESULT.length) });
      const result = row && resultIn(row);
      const quota = setup.quotas.find((one) => one.id === result?.quotaId);
      return result && quota && renderer.result(id, { result, quota }, await this.#ports.zoneOf(guildId));
    }
    const [row] = await store.rows({ guildId, kinds: ["shift"], id });
    const shift = row && shiftIn(row);
    const type = setup.types.find((one) => one.id === shift?.typeId);
    if (shift === undefined || type === undefined) return undefined;
    const names = new Map((await bindings.list(guildId)).map((one) => [one.id, one.name]));
    return renderer.shift(id, {
      shift,
      type,
      serverName: (server) => names.get(server) ?? "an unlinked server",
    });
  }

  async #onStands(ref: PostRef, { kind, messageId, isMarked }: Stands): Promise<void> {
    const row = await this.#row(ref);
    if (row === undefined) return;
    const { channelId, nonce } = post.parse(JSON.parse(row.body));
    this.#told.delete(channelId);
    // What says how it ended for good is done with.
    const { guildId, id } = ref;
    const [shift] = await this.#ports.store.rows({ guildId, kinds: ["shift"], id });
    const endS = id.startsWith(RESULT) ? row.fromS : shift?.untilS;
    const untilS = kind === "found" ? undefined : endS;
    const body = JSON.stringify({ channelId, nonce, messageId, isMarked });
    await this.#ports.store.write({ put: [{ ...row, untilS, body }] });
  }

  async #onRefused(ref: PostRef, reason: SinkRefusalReason): Promise<"over" | "closed"> {
    const { store, notifier, renderer } = this.#ports;
    const { guildId, id } = ref;
    const row = await this.#row(ref);
    if (row !== undefined && reason !== "message-gone") {
      const { channelId, messageId } = post.parse(JSON.parse(row.body));
      // Discord archives a quiet thread by itself: no edit is taken there, but the next new message revives it.
      if (reason === "closed" && messageId !== undefined) return "closed";
      const isTold = this.#told.has(channelId);
      this.#told.add(channelId);
      if (!isTold) await notifier.guild(guildId, renderer.closed(channelId, reason));
      const [shift] = await store.rows({ guildId, kinds: ["shift"], id });
      // Were it forgotten while it goes on, the next look would begin its message anew, and be refused and tell of it again.
      if (shift !== undefined && shift.untilS === undefined) return "closed";
    }
    await store.write({ drop: [{ guildId, kind: "post", id }] });
    return "over";
  }

  async #row({ guildId, id }: PostRef): Promise<DutyRow | undefined> {
    const [row] = await this.#ports.store.rows({ guildId, kinds: ["post"], id });
    return row;
  }
}

function postRow(
  { guildId, id }: PostRef,
  { userId, fromS }: Pick<Shift, "userId" | "fromS">,
  body: z.infer<typeof post>,
): DutyRow {
  return { guildId, kind: "post", id, userId, playerId: 0, fromS, body: JSON.stringify(body) };
}

function idOf({ userId, id }: Pick<Shift, "userId" | "id">): string {
  return `${userId} ${id}`;
}

function keyOf({ guildId, id }: PostRef): string {
  return `${guildId} ${id}`;
}
