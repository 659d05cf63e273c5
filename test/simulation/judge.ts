import type { MessageBody } from "../../src/domain/message.ts";
import type { LogList, Snapshot } from "../../src/domain/model.ts";
import type { Watcher } from "./discord.ts";
import {
  CAPACITY,
  clearedBefore,
  LATEST_ROW_S,
  lists,
  type Shown,
  type SimServer,
  tokenOf,
  tokensIn,
  upTo,
} from "./world.ts";

/** A feed as its channel's readers know it. */
interface Followed {
  readonly server: SimServer;
  readonly list: LogList;
  /** By the true index of a token: how often it was posted without, and with, the mark of a possible repeat. */
  readonly plain: Uint8Array;
  readonly marked: Uint8Array;
  readonly gaps: { readonly fromS: number | undefined; readonly toS: number }[];
  /** Since when everything must be there; undefined while it is paused, parked or gone. */
  sinceMs: number | undefined;
  /** It was added or resumed: `sinceMs` is the first answer that is kept from then on. */
  pendingSinceMs: number | undefined;
  /** modCalls: tokens whose card shows an answer. */
  readonly answered: Set<number>;
}

export interface Verdict {
  readonly entries: number;
  readonly posted: number;
  readonly lost: number;
  readonly repeated: number;
  readonly possiblyRepeated: number;
  /** Stretches of entries that nobody could see any more, each told. */
  readonly gaps: number;
  readonly gapNotices: number;
  /** Notices that nothing made due: no window beyond the last one, no cleared log. They count for no missing entry. */
  readonly needlessNotices: number;
  /** Missing entries that no notice is due for: the log had never shown a row before they were gone. */
  readonly neverSeen: number;
  /** The log restarted and nothing newer stands in it yet: the notice comes with the next row. */
  readonly noticePending: number;
  /** The log restarted after the last looks had seen nobody on the server: silent by design. */
  readonly restartedEmpty: number;
  readonly unansweredCards: number;
  readonly examples: readonly string[];
}

type Silence = "neverSeen" | "noticePending" | "restartedEmpty";
type More = { -readonly [K in Silence | "needlessNotices" | "unansweredCards"]: number };

/**
 * Counts what stands in the channels against what truly happened. It knows nothing of windows' overlaps as the bot
 * computes them: an entry of a live feed is posted once, or a notice says that it may be missing.
 */
export class Judge implements Watcher {
  readonly #followed = new Map<string, Followed>();
  readonly #ofServer = new Map<number, Followed[]>();
  /** By server and list: the end of the newest window that was surely kept, and where windows jumped over it. */
  readonly #keptEnd = new Map<string, number>();
  readonly #jumps = new Map<string, Set<number>>();
  /** By server and list: where the first window with rows began that was kept, and whether the latest had any. */
  readonly #firstStart = new Map<string, number>();
  readonly #lastEmpty = new Map<string, boolean>();
  /** By list: since when some server has shown how long such a log gets, which nobody tells. */
  readonly #lengthKnownMs = new Map<LogList, number>();
  readonly #lastFull = new Set<string>();
  /** By server: the moments that were kept, and the answers that reached the bot, in their order. */
  readonly #keptAtMs = new Map<number, number[]>();
  readonly #looks = new Map<number, { readonly atMs: number; readonly players: boolean }[]>();
  messages = 0;

  follow(channelId: string, server: SimServer, list: LogList, nowMs: number): void {
    const size = server.logs[list].arrivedMs.length;
    const feed: Followed = {
      server,
      list,
      plain: new Uint8Array(size),
      marked: new Uint8Array(size),
      gaps: [],
      sinceMs: undefined,
      pendingSinceMs: nowMs,
      answered: new Set(),
    };
    this.#followed.set(keyOf(channelId, list), feed);
    this.#ofServer.set(server.index, [...(this.#ofServer.get(server.index) ?? []), feed]);
  }

  /** Nothing more is expected of this feed: it was paused, parked or removed. */
  stopExpecting(channelId: string, list: LogList): void {
    const feed = this.#followed.get(keyOf(channelId, list));
    if (feed === undefined) return;
    feed.sinceMs = undefined;
    feed.pendingSinceMs = undefined;
  }

  resumed(channelId: string, list: LogList, nowMs: number): void {
    const feed = this.#followed.get(keyOf(channelId, list));
    if (feed !== undefined) feed.pendingSinceMs = nowMs;
  }

  /** The bot has kept this answer: baselines are behind it. */
  kept(server: SimServer, shown: Shown, { lists: told, askedAtMs }: Snapshot): void {
    for (const feed of this.#ofServer.get(server.index) ?? []) {
      if (feed.pendingSinceMs === undefined || askedAtMs < feed.pendingSinceMs) continue;
      if (told[feed.list] === undefined) continue;
      feed.sinceMs = shown.builtMs;
      feed.pendingSinceMs = undefined;
    }
    const kept = this.#keptAtMs.get(server.index) ?? [];
    this.#keptAtMs.set(server.index, kept);
    kept.push(shown.builtMs);
    for (const list of lists) {
      if (told[list] === undefined) continue;
      const key = `${server.index} ${list}`;
      const [start, its] = shown.ranges[list];
      if (its > start && !this.#firstStart.has(key)) this.#firstStart.set(key, start);
      this.#lastEmpty.set(key, its === start);
      if (its - start < CAPACITY) this.#lastFull.delete(key);
      else if (!this.#lastFull.has(key)) this.#lastFull.add(key);
      else if (!this.#lengthKnownMs.has(list)) this.#lengthKnownMs.set(list, shown.builtMs);
      const end = Math.max(this.#keptEnd.get(key) ?? 0, its);
      this.#keptEnd.set(key, end);
    }
  }

  /** An answer reached the bot, kept or not: note where its window no longer overlaps what was kept. */
  answered(server: SimServer, shown: Shown, { lists: told, status }: Snapshot): void {
    const looks = this.#looks.get(server.index) ?? [];
    this.#looks.set(server.index, looks);
    looks.push({ atMs: shown.builtMs, players: status.currentPlayers > 0 });
    for (const list of lists) {
      if (told[list] === undefined) continue;
      const key = `${server.index} ${list}`;
      const [start, end] = shown.ranges[list];
      if (end - start < CAPACITY || start < (this.#keptEnd.get(key) ?? 0)) continue;
      const jumps = this.#jumps.get(key) ?? new Set();
      this.#jumps.set(key, jumps);
      for (let index = start; index < Math.min(end, start + 10); index++) {
        jumps.add(server.logs[list].atS[index] ?? 0);
      }
    }
  }

  posted(channelId: string, _messageId: string, body: MessageBody): void {
    this.messages += 1;
    const text = textOf(body);
    const isMarked = text.includes("Possibly repeated");
    for (const { list, index } of tokensIn(text)) {
      const feed = this.#followed.get(keyOf(channelId, list));
      if (feed === undefined) throw new Error(`a post of ${list} in ${channelId}, which nobody follows`);
      const counts = isMarked ? feed.marked : feed.plain;
      counts[index] = Math.min(255, (counts[index] ?? 0) + 1);
      if (list === "modCalls" && text.includes("Answered in the game")) feed.answered.add(index);
    }
    if (text.includes("Gap:")) this.#gap(channelId, text);
  }

  edited(channelId: string, _messageId: string, body: MessageBody): void {
    const text = textOf(body);
    for (const { list, index } of tokensIn(text)) {
      if (!text.includes("Answered in the game")) continue;
      this.#followed.get(keyOf(channelId, list))?.answered.add(index);
    }
  }

  verdict(): Verdict {
    const sum = { entries: 0, posted: 0, lost: 0, repeated: 0, possiblyRepeated: 0, gaps: 0, gapNotices: 0 };
    const more: More = {
      needlessNotices: 0,
      neverSeen: 0,
      noticePending: 0,
      restartedEmpty: 0,
      unansweredCards: 0,
    };
    const examples: string[] = [];
    for (const [key, feed] of this.#followed) this.#judge(key, feed, sum, more, examples);
    return { ...sum, ...more, examples: examples.slice(0, 10) };
  }

  #judge(
    key: string,
    feed: Followed,
    sum: {
      -readonly [K in
        | "entries"
        | "posted"
        | "lost"
        | "repeated"
        | "possiblyRepeated"
        | "gaps"
        | "gapNotices"]: number;
    },
    more: More,
    examples: string[],
  ): void {
    const { server, list } = feed;
    const { arrivedMs, atS, token, answeredMs } = server.logs[list];
    const wanted = new Uint8Array(arrivedMs.length);
    for (const index of token) wanted[index] = (wanted[index] ?? 0) + 1;
    const explained = feed.gaps.filter((gap) => this.#isExplained(feed, gap));
    const told = new Array<number>(explained.length).fill(0);
    const say = (what: string, index: number) => {
      const at = new Date(arrivedMs[index] ?? 0).toISOString();
      examples.push(`${what} ${tokenOf(server, list, index)} at ${at} (${atS[index]}) in ${key}`);
    };
    for (const [index, count] of wanted.entries()) {
      if (count === 0) continue;
      const plain = feed.plain[index] ?? 0;
      const all = plain + (feed.marked[index] ?? 0);
      sum.posted += all;
      if (plain > count) say("repeated", index);
      sum.repeated += Math.max(0, plain - count);
      sum.possiblyRepeated += Math.max(0, all - Math.max(count, plain));
      const atMs = arrivedMs[index] ?? 0;
      if (feed.sinceMs === undefined || atMs <= feed.sinceMs) continue;
      sum.entries += count;
      const answer = answeredMs[index] ?? 0;
      // A guild that slept through a key is told that calls may be missing: their answers too.
      const slept = feed.gaps.some((gap) => gap.fromS === undefined);
      const isDue = list === "modCalls" && count === 1 && all === 1 && answer > 0 && !slept;
      if (isDue && !feed.answered.has(index) && this.#stillShown(server, index, answer)) {
        more.unansweredCards += 1;
        say("unanswered", index);
      }
      if (all >= count) continue;
      const covering = explained.findIndex((gap) => covers(gap, atS[index] ?? 0, atMs));
      if (covering >= 0) told[covering] = (told[covering] ?? 0) + 1;
      else {
        const why = this.#silence(server, list, index, atMs);
        if (why === undefined) sum.lost += count - all;
        else more[why] += count - all;
        if (why === undefined) say("lost", index);
      }
    }
    sum.gapNotices += feed.gaps.length;
    sum.gaps += told.filter((missing) => missing > 0).length;
    more.needlessNotices += feed.gaps.length - explained.length;
    for (const gap of feed.gaps) {
      if (!explained.includes(gap)) examples.push(`needless notice ${gap.fromS}-${gap.toS} in ${key}`);
    }
  }

  /** The answer was there for some kept look of the bot: the call still stood in the window. */
  #stillShown(server: SimServer, index: number, answeredMs: number): boolean {
    const kept = this.#keptAtMs.get(server.index) ?? [];
    const log = server.logs.modCalls;
    return kept.some((atMs) => {
      if (atMs < answeredMs || clearedBefore(server, atMs) >= (log.arrivedMs[index] ?? 0)) return false;
      return upTo(log.arrivedMs, atMs) - CAPACITY <= index;
    });
  }

  #silence(server: SimServer, list: LogList, index: number, arrivedMs: number): Silence | undefined {
    const key = `${server.index} ${list}`;
    if (index < (this.#firstStart.get(key) ?? 0)) return "neverSeen";
    const looks = this.#looks.get(server.index) ?? [];
    const next = looks.findIndex(({ atMs }) => atMs >= arrivedMs);
    const clearedMs = next < 0 ? 0 : clearedBefore(server, looks[next]?.atMs ?? 0);
    if (clearedMs < arrivedMs) return undefined;
    const lastTwo = looks.slice(Math.max(0, next - 2), next);
    if (this.#lastEmpty.get(key) === true) return "noticePending";
    return lastTwo.every(({ players }) => !players) ? "restartedEmpty" : undefined;
  }

  /** What the bot could see made the notice due: a window beyond the last one, a new log, a guild that slept. */
  #isExplained({ server, list }: Followed, gap: Followed["gaps"][number]): boolean {
    const jumps = this.#jumps.get(`${server.index} ${list}`);
    for (let toS = gap.toS; toS <= gap.toS + LATEST_ROW_S; toS++) if (jumps?.has(toS)) return true;
    if (gap.fromS === undefined) {
      // A key that was slept through; or the first rows of a log of which nobody could say that it was whole.
      return (
        server.keys > 0 || gap.toS * 1_000 <= (this.#lengthKnownMs.get(list) ?? Number.POSITIVE_INFINITY)
      );
    }
    // To the end of that second: the row may have arrived at any moment of it.
    const untilMs = (gap.toS + LATEST_ROW_S + 1) * 1_000;
    return clearedBefore(server, untilMs) >= (gap.fromS - LATEST_ROW_S) * 1_000;
  }

  #gap(channelId: string, text: string): void {
    const list = gapLists.find(([words]) => text.includes(words))?.[1];
    const times = [...text.matchAll(/<t:(\d+):T>/g)].map(([, second]) => Number(second));
    const feed = list === undefined ? undefined : this.#followed.get(keyOf(channelId, list));
    const toS = times.at(-1);
    if (feed === undefined || toS === undefined) throw new Error(`a notice that cannot be read: ${text}`);
    const fromS = times.length > 1 ? times[0] : undefined;
    const isRepeat = feed.gaps.some((gap) => gap.fromS === fromS && gap.toS === toS);
    // Where the channel cannot be read a notice may stand twice too, marked.
    if (!isRepeat || !text.includes("Possibly repeated")) feed.gaps.push({ fromS, toS });
  }
}

const gapLists: readonly (readonly [words: string, list: LogList])[] = [
  ["joins and leaves", "joinLogs"],
  ["kills", "killLogs"],
  ["moderator calls", "modCalls"],
  ["commands", "commandLogs"],
];

function keyOf(channelId: string, list: LogList): string {
  return `${channelId} ${list}`;
}

function covers(
  gap: { readonly fromS: number | undefined; readonly toS: number },
  atS: number,
  arrivedMs: number,
) {
  const arrivedS = Math.floor(arrivedMs / 1_000);
  const fromS = gap.fromS ?? 0;
  // The notice ends with the oldest new row, which may have come late itself.
  const toS = gap.toS + LATEST_ROW_S;
  return (fromS <= atS && atS <= toS) || (fromS <= arrivedS && arrivedS <= toS);
}

function textOf({ content, cards, files }: MessageBody): string {
  const parts = [content, ...(cards ?? []).map((card) => card.description)];
  const data = (files ?? []).map((file) => (typeof file.data === "string" ? file.data : ""));
  return [...parts, ...data].join("\n");
}
