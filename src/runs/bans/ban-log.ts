import type { BanEnd } from "../../domain/ban-end.ts";
import { guildOf } from "../../domain/journal-id.ts";
import type { CommandEntry, Snapshot, SourceId } from "../../domain/model.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Demands } from "../../domain/ports/demands.ts";
import type { JournalLooks, JournalReader, Unread } from "../../domain/ports/journal.ts";
import type { BanEndBook } from "./ban-end-book.ts";
import { endsOn } from "./ban-watch.ts";
import type { KeptBanEnds } from "./kept-ban-ends.ts";
import { afterBan, banRows, type LogLook, laterWords } from "./later-bans.ts";

export interface BanLogPorts {
  readonly kept: KeptBanEnds;
  readonly book: Pick<BanEndBook, "changes" | "onPlayers">;
  readonly bindings: Pick<Bindings, "bySource" | "list">;
  readonly demands: Demands;
  readonly journal: Pick<JournalLooks, "reader">;
}

interface Judged extends LogLook {
  readonly unread: readonly Unread[];
  readonly window: readonly CommandEntry[];
}

/** Reads in the game's log who is banned again, or un-banned, before their ban ends. */
export class BanLog {
  readonly #ports: BanLogPorts;
  readonly #log: JournalReader;
  /** By linked server. */
  readonly #demanded = new Map<string, SourceId>();

  constructor(ports: BanLogPorts) {
    this.#ports = ports;
    this.#log = ports.journal.reader("ban-ends", "window", { logs: ["commandLogs"] });
  }

  /** Takes in an answer. Rejects when the store does: the next answer brings the same again. */
  async take(look: Snapshot): Promise<void> {
    const ends = await endsOn(this.#ports, look.source);
    if (ends.length > 0 && look.status.currentPlayers > 0)
      for (const bindingId of new Set(ends.map((end) => end.bindingId)))
        this.#ports.book.onPlayers(bindingId);
    const window = look.lists.commandLogs;
    if (window === undefined) return;

    const unread = await this.#log.unread(look);
    if (ends.length === 0) {
      for (const one of unread) one.done();
      for (const [bindingId, source] of this.#demanded) if (source === look.source) this.withdraw(bindingId);
      return;
    }
    const present = (look.lists.players ?? []).map(({ player }) => player);
    const rows = banRows([...window, ...missedRows(unread, window)]);
    const nowS = Math.floor((look.serviceAtMs ?? look.takenAtMs) / 1_000);
    const failures: unknown[] = [];
    for (const end of ends) {
      // Where the store refuses one, the others are judged all the same.
      await this.#judge(end, { rows, present, nowS, unread, window }).catch((error: unknown) => {
        failures.push(error);
      });
    }
    if (failures.length > 0) throw failures[0];
    for (const one of unread) one.done();
  }

  async #judge(end: BanEnd, { unread, window, ...look }: Judged): Promise<void> {
    if (end.state === "over") return;
    const { ownRowS, later } = afterBan(end, look);
    // Of a ban that is being sent nothing is known yet; the next answer shows the same.
    if (later !== undefined && end.state !== "sending") {
      const isBan = later.command.verb === "ban";
      await this.#ports.book.changes.end(end.id, { isBan, why: laterWords(end, later) });
      return;
    }
    const isLogLost = unread.some((one) => isLostSince(end, one, { window, ownRowS }));
    await this.#note(end, { ownRowS, isLogLost });
  }

  /** Has the log of each server read that has bans to end, and of no other. */
  async demand(guildId: string): Promise<void> {
    const { kept, demands, bindings } = this.#ports;
    for (const { id, source } of await bindings.list(guildId)) {
      if (!kept.isAnyOf(id)) this.withdraw(id);
      else if (this.#demanded.get(id) !== source) {
        demands.put(ownerOf(id), [demandOf(source, guildId)]);
        this.#demanded.set(id, source);
      }
    }
  }

  /** It has none any more, or was unlinked. */
  withdraw(bindingId: string): void {
    if (this.#demanded.delete(bindingId)) this.#ports.demands.put(ownerOf(bindingId), []);
  }

  async #note(
    end: BanEnd,
    found: { readonly ownRowS: number | undefined; readonly isLogLost: boolean },
  ): Promise<void> {
    const ownRowS = end.ownRowS ?? found.ownRowS;
    const isLogLost = end.isLogLost === true || found.isLogLost;
    if (ownRowS === end.ownRowS && isLogLost === (end.isLogLost === true)) return;
    await this.#ports.book.changes.must(end.id, async (now) => {
      const own = ownRowS === undefined ? {} : { ownRowS };
      await this.#ports.kept.put({ ...now, ...own, ...(isLogLost ? { isLogLost } : {}) });
    });
  }
}

function ownerOf(bindingId: string): string {
  return `runs-ban-ends:${bindingId}`;
}

function demandOf(source: SourceId, guildId: string) {
  return { source, lists: ["commandLogs"] as const, guildId };
}

/** Rows that an earlier answer brought and that were not dealt with. */
function missedRows(unread: readonly Unread[], window: readonly CommandEntry[]): readonly CommandEntry[] {
  const known = new Set(window.map(identityOf));
  return unread.flatMap(({ items }) =>
    items.flatMap((item) => {
      if (item.kind !== "entry" || item.entry.kind !== "command") return [];
      return known.has(identityOf(item.entry)) ? [] : [item.entry];
    }),
  );
}

function identityOf({ atS, player, text }: CommandEntry): string {
  return `${atS} ${player.id ?? ""} ${text}`;
}

interface Seen {
  readonly window: readonly CommandEntry[];
  readonly ownRowS: number | undefined;
}

/** Whether rows after the ban may be missing from what was read of this log. */
function isLostSince(end: BanEnd, { log, isFirst, items }: Unread, { window, ownRowS }: Seen): boolean {
  const guildId = guildOf(log.source);
  if (guildId !== undefined && guildId !== end.guildId) return false;
  const bannedS = ownRowS ?? Math.floor(end.sentAtMs / 1_000);
  if (items.some((item) => item.kind === "gap" && item.toS > bannedS)) return true;
  // Nothing of this log was read before: it is whole where it reaches back to the ban.
  return isFirst && window.length > 0 && window.every(({ atS }) => atS > bannedS);
}
