import type { MessageBody } from "../../src/domain/message.ts";
import type { LogList, Snapshot } from "../../src/domain/model.ts";
import { callsOnCard, isModCallCard } from "./card-calls.ts";
import type { Watcher } from "./discord.ts";
import { EmergencyJudge, type EmergencyVerdict } from "./emergency-judge.ts";
import { clearsBetween, type Look, Looks, lastShown, rangeOf } from "./looks.ts";
import { CAPACITY, LATEST_ROW_S, type Shown, type SimServer, tokenOf, tokensIn } from "./world.ts";

/** A notice as a reader understands it. */
interface Notice {
  readonly fromS: number | undefined;
  readonly toS: number;
  /** When it was posted. */
  readonly atMs: number;
  /** When the last of the entries arrived that stood in the channel before it: without a beginning it names later ones. */
  readonly afterMs: number;
}

/** What a feed's filter says of an entry, by its token; "may" where it hangs on what the bot knew at that moment. */
export type Wants = (token: number) => "must" | "may" | "never";

/** A feed as its channel's readers know it. */
interface Followed {
  readonly server: SimServer;
  readonly list: LogList;
  readonly wants: Wants;
  /** By the true index of a token: how often it was posted without, and with, the mark of a possible repeat. */
  readonly plain: Uint8Array;
  readonly marked: Uint8Array;
  readonly notices: Notice[];
  /** When the latest of the entries arrived that were posted so far. */
  postedToMs: number;
  /** Since when everything must be there; undefined while it is paused, parked or gone. */
  sinceMs: number | undefined;
  /** It was added or resumed: `sinceMs` is the first answer that is kept from then on. */
  pendingSinceMs: number | undefined;
  /** When it was asked for, and when the answer was kept with which it began. */
  begun: { readonly askedMs: number; readonly keptAtMs: number } | undefined;
  /** modCalls: tokens whose card shows an answer. */
  readonly answered: Set<number>;
  /** modCalls: what each message shows. */
  readonly cards: Map<string, readonly number[]>;
  /** modCalls: tokens that an edit took from a message. */
  readonly takenAway: number[];
}

/**
 * Why an entry may be neither posted nor announced. Each is checked for each entry: what the bot was shown is the same as
 * if the entry had never been, so no bot could tell; any other that is missing is "unannounced" or lost.
 */
export const SILENCES = {
  neverSeen: "the log had never shown a row, and the game server started anew before the next answer",
  restartedEmpty:
    "nobody was there at the last two answers, and the game server started anew before the next one",
  noticePending: "no answer has shown a row of that log since: the notice comes with the next row",
} as const;
type Silence = keyof typeof SILENCES;

const nothing = {
  entries: 0,
  posted: 0,
  /** Shown by an answer that was kept, and neither posted nor announced. */
  lost: 0,
  repeated: 0,
  /** Calls that stood on a card and were edited away. */
  takenAway: 0,
  possiblyRepeated: 0,
  /** Stretches of entries that nobody could see any more, each told. */
  gaps: 0,
  gapNotices: 0,
  /** Notices that no window made due: all overlap. They count for no missing entry. */
  needlessNotices: 0,
  /** Notices that name nothing which is missing: something might have been. */
  emptyNotices: 0,
  /** Notices around restarts of the game server, and those of them that name nothing which is missing. */
  restartNotices: 0,
  emptyRestartNotices: 0,
  /** Those around restarts of which the answers showed that nobody was there: nothing can be missing. */
  idleRestartNotices: 0,
  /** The most notices of one feed for one restart of the game server. */
  noticesPerRestart: 0,
  /** Gone before any answer was kept that showed them, neither announced nor silent for a reason of the design. */
  unannounced: 0,
  neverSeen: 0,
  restartedEmpty: 0,
  noticePending: 0,
  unansweredCards: 0,
  /** Posted though the feed's filter leaves them out. */
  unwanted: 0,
};
type Sums = { -readonly [K in keyof typeof nothing]: number };

export interface Verdict extends Readonly<Sums>, EmergencyVerdict {
  /** What went wrong, or needs a reason: what, which entry, when, where. */
  readonly examples: readonly string[];
}

/**
 * Counts what stands in the channels against what truly happened. It knows nothing of windows' overlaps as the bot
 * computes them: an entry of a live feed is posted once, or a notice says that it may be missing.
 */
export class Judge implements Watcher {
  readonly #followed = new Map<string, Followed>();
  readonly #ofServer = new Map<number, Followed[]>();
  readonly #looks = new Looks();
  readonly emergencies = new EmergencyJudge(this.#looks);
  readonly #nowMs: () => number;
  readonly #unreadable = new Set<string>();
  messages = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  follow(channelId: string, server: SimServer, list: LogList, wants: Wants = () => "must"): void {
    const size = server.logs[list].arrivedMs.length;
    const feed: Followed = {
      server,
      list,
      wants,
      plain: new Uint8Array(size),
      marked: new Uint8Array(size),
      notices: [],
      postedToMs: 0,
      sinceMs: undefined,
      pendingSinceMs: this.#nowMs(),
      begun: undefined,
      answered: new Set(),
      cards: new Map(),
      takenAway: [],
    };
    this.#followed.set(keyOf(channelId, list), feed);
    this.#ofServer.set(server.index, [...(this.#ofServer.get(server.index) ?? []), feed]);
  }

  /** The bot may write into this channel and not read it. */
  cannotRead(channelId: string): void {
    this.#unreadable.add(channelId);
  }

  /** Nothing more is expected of this feed: it was paused, parked or removed. */
  stopExpecting(channelId: string, list: LogList): void {
    const feed = this.#followed.get(keyOf(channelId, list));
    if (feed === undefined) return;
    feed.sinceMs = undefined;
    feed.pendingSinceMs = undefined;
  }

  resumed(channelId: string, list: LogList): void {
    const feed = this.#followed.get(keyOf(channelId, list));
    if (feed !== undefined) feed.pendingSinceMs = this.#nowMs();
  }

  /** The bot has kept this answer: baselines are behind it. */
  kept(server: SimServer, shown: Shown, snapshot: Snapshot): void {
    this.#looks.kept(snapshot, this.#nowMs());
    for (const feed of this.#ofServer.get(server.index) ?? []) {
      if (feed.pendingSinceMs === undefined || snapshot.askedAtMs < feed.pendingSinceMs) continue;
      if (snapshot.lists[feed.list] === undefined) continue;
      feed.sinceMs = Math.max(shown.builtMs, feed.pendingSinceMs);
      feed.begun = { askedMs: feed.pendingSinceMs, keptAtMs: this.#nowMs() };
      feed.pendingSinceMs = undefined;
    }
  }

  /** The bot has written what this answer brought to one log, whatever becomes of its other logs. */
  written(server: SimServer, list: LogList, takenAtMs: number): void {
    this.#looks.written(server, list, { takenAtMs, nowMs: this.#nowMs() });
  }

  /** A power cut took what was kept after `toMs`: a feed that had begun with it begins anew. */
  setBack(toMs: number): void {
    this.#looks.setBack(toMs, this.#nowMs());
    for (const feed of this.#followed.values()) {
      if (feed.sinceMs === undefined || feed.begun === undefined || feed.begun.keptAtMs <= toMs) continue;
      feed.sinceMs = undefined;
      feed.pendingSinceMs = feed.begun.askedMs;
    }
  }

  /** An answer reached the bot, kept or not. */
  answered(server: SimServer, shown: Shown, snapshot: Snapshot): void {
    this.#looks.answered(server, shown, snapshot);
  }

  posted(channelId: string, messageId: string, body: MessageBody): void {
    this.messages += 1;
    const text = textOf(body);
    if (isModCallCard(body)) this.#card(channelId, messageId, body);
    else this.#lines(channelId, text);
    if (text.includes("Gap:") && !text.includes("Gap: emergency calls")) this.#notice(channelId, text);
    this.emergencies.posted(channelId, body);
  }

  edited(channelId: string, messageId: string, body: MessageBody): void {
    if (isModCallCard(body)) this.#card(channelId, messageId, body);
    this.emergencies.edited(channelId, body);
  }

  #lines(channelId: string, text: string): void {
    const isMarked = text.includes("Possibly repeated");
    for (const { list, index } of tokensIn(text)) {
      const feed = this.#followed.get(keyOf(channelId, list));
      if (feed === undefined) throw new Error(`a post of ${list} in ${channelId}, which nobody follows`);
      count(feed, index, isMarked);
    }
  }

  /** A card counts for each call that it has not shown before. */
  #card(channelId: string, messageId: string, body: MessageBody): void {
    const feed = this.#followed.get(keyOf(channelId, "modCalls"));
    if (feed === undefined) throw new Error(`a card of a call in ${channelId}, which nobody follows`);
    const { shown, answered } = callsOnCard(feed.server, body);
    const gone = [...(feed.cards.get(messageId) ?? [])];
    for (const index of shown) {
      const before = gone.indexOf(index);
      if (before >= 0) gone.splice(before, 1);
      else count(feed, index, textOf(body).includes("Possibly repeated"));
    }
    // Where history may not be read nobody can know of them; they come again, marked.
    if (!this.#unreadable.has(channelId)) feed.takenAway.push(...gone);
    feed.cards.set(messageId, shown);
    for (const index of answered) feed.answered.add(index);
  }

  verdict(): Verdict {
    const sums: Sums = { ...nothing };
    const examples: string[] = [];
    for (const [key, feed] of this.#followed) this.#judge(key, feed, sums, examples);
    return { ...sums, ...this.emergencies.verdict(examples), examples };
  }

  #judge(key: string, feed: Followed, sums: Sums, examples: string[]): void {
    const { server, list, notices } = feed;
    const { arrivedMs, atS, token, answeredMs } = server.logs[list];
    const wanted = new Uint8Array(arrivedMs.length);
    for (const index of token) wanted[index] = (wanted[index] ?? 0) + 1;
    const looks = this.#looks.of(server, list);
    const due = dueStretches(server, list, looks);
    const shownMs = lastShown(server, list, looks);
    const ranges = looks.map((look) => rangeOf(server, list, look));
    const named = new Array<number>(notices.length).fill(0);
    const say = (what: string, index: number) => {
      const at = new Date(arrivedMs[index] ?? 0).toISOString();
      examples.push(
        `${what}: ${tokenOf(server, list, index)} arrived ${at} for second ${atS[index]} in ${key}`,
      );
    };

    for (const [index, count] of wanted.entries()) {
      if (count === 0) continue;
      const plain = feed.plain[index] ?? 0;
      const all = plain + (feed.marked[index] ?? 0);
      const atMs = arrivedMs[index] ?? 0;
      sums.posted += all;
      if (plain > count) say("repeated", index);
      sums.repeated += Math.max(0, plain - count);
      sums.possiblyRepeated += Math.max(0, all - Math.max(count, plain));
      const wants = feed.wants(index);
      if (wants === "never" && all > 0) {
        sums.unwanted += all;
        say("unwanted", index);
      }
      if (feed.sinceMs === undefined || atMs <= feed.sinceMs || wants !== "must") continue;
      sums.entries += count;
      const answer = answeredMs[index] ?? 0;
      // A guild that slept through a key is told that calls may be missing: their answers too.
      const slept = notices.some(({ fromS }) => fromS === undefined);
      const isDue = list === "modCalls" && count === 1 && all === 1 && answer > 0 && !slept;
      // Some kept answer showed it: the call still stood in the window.
      if (isDue && !feed.answered.has(index) && (shownMs[index] ?? 0) >= answer) {
        sums.unansweredCards += 1;
        say("unanswered", index);
      }
      if (all >= count) continue;
      const naming = notices.findIndex((notice) => names(notice, atS[index] ?? 0, atMs));
      if (naming >= 0) named[naming] = (named[naming] ?? 0) + 1;
      else {
        const why = (shownMs[index] ?? 0) > 0 ? "lost" : this.#silence(feed, index, looks, ranges);
        sums[why] += count - all;
        say(why, index);
      }
    }

    sums.takenAway += feed.takenAway.length;
    for (const index of feed.takenAway) say("taken away", index);
    sums.gapNotices += notices.length;
    sums.gaps += named.filter((missing) => missing > 0).length;
    for (const [index, notice] of notices.entries()) {
      const words = `${notice.fromS}-${notice.toS} posted ${new Date(notice.atMs).toISOString()} in ${key}`;
      const restarts = due.filter(
        (one) =>
          // One without a beginning is of a key that was slept through.
          notice.fromS !== undefined &&
          (one.clearedMs ?? Infinity) <= notice.atMs &&
          isDueBy(notice, [one], server),
      );
      if (restarts.length > 0) {
        sums.restartNotices += 1;
        if (named[index] === 0) sums.emptyRestartNotices += 1;
        if (!restarts.some((one) => hadPlayers(server, one) || !this.#looks.tellsOfRestart(server, one))) {
          sums.idleRestartNotices += 1;
          examples.push(`notice of a restart though nobody was there: ${words}`);
        }
      }
      if (!isDueBy(notice, due, server)) {
        sums.needlessNotices += 1;
        examples.push(`needless notice: ${words}`);
      } else if (named[index] === 0) {
        sums.emptyNotices += 1;
        examples.push(`empty notice: ${words}`);
      }
    }
    this.#perRestart(key, feed, due, sums, examples);
  }

  /** Counts notices by the restart that they speak of. */
  #perRestart(
    key: string,
    { server, notices }: Followed,
    due: readonly Due[],
    sums: Sums,
    examples: string[],
  ) {
    const told = new Map<number, number>();
    for (const notice of notices) {
      // One that covers several is the latest one's: each restart since the last notice is told by it.
      const past = due.filter(({ clearedMs }) => (clearedMs ?? 0) <= notice.atMs);
      const stretches = past.filter((one) => isDueBy(notice, [one], server));
      const clearedMs = stretches.at(-1)?.clearedMs;
      if (clearedMs !== undefined) told.set(clearedMs, (told.get(clearedMs) ?? 0) + 1);
    }
    for (const [clearedMs, count] of told) {
      sums.noticesPerRestart = Math.max(sums.noticesPerRestart, count);
      if (count > 1) {
        examples.push(`${count} notices for the restart of ${new Date(clearedMs).toISOString()} in ${key}`);
      }
    }
  }

  /** Why an entry that no answer showed and no notice names is missing. */
  #silence(
    { server, list }: Followed,
    index: number,
    looks: readonly Look[],
    ranges: readonly (readonly [start: number, end: number])[],
  ): Silence | "unannounced" {
    const arrivedMs = server.logs[list].arrivedMs[index] ?? 0;
    const next = looks.findIndex(({ builtMs }) => builtMs >= arrivedMs);
    if (next < 0) return "noticePending";
    const nextMs = looks[next]?.builtMs ?? 0;
    const isCleared = clearsBetween(server, arrivedMs, nextMs).length > 0;
    if (ranges.slice(0, next).every(([start, end]) => start === end)) {
      return isCleared ? "neverSeen" : "unannounced";
    }
    // An old answer that is served again says nothing of what came after it.
    const isEmpty = ([start, end]: readonly [number, number]) => start === end;
    if (looks.every(({ builtMs }, at) => builtMs < arrivedMs || isEmpty(ranges[at] ?? [0, 0]))) {
      return "noticePending";
    }
    const before = this.#looks.all(server).filter(({ builtMs }) => builtMs < arrivedMs);
    return isCleared && before.slice(-2).every(({ players }) => !players) ? "restartedEmpty" : "unannounced";
  }

  #notice(channelId: string, text: string): void {
    const list = gapLists.find(([words]) => text.includes(words))?.[1];
    const times = [...text.matchAll(/<t:(\d+):T>/g)].map(([, second]) => Number(second));
    const feed = list === undefined ? undefined : this.#followed.get(keyOf(channelId, list));
    const toS = times.at(-1);
    if (feed === undefined || toS === undefined) throw new Error(`a notice that cannot be read: ${text}`);
    const fromS = times.length > 1 ? times[0] : undefined;
    const isRepeat = feed.notices.some((notice) => notice.fromS === fromS && notice.toS === toS);
    // Where the channel cannot be read a notice may stand twice too, marked.
    if (isRepeat && text.includes("Possibly repeated")) return;
    feed.notices.push({ fromS, toS, atMs: this.#nowMs(), afterMs: feed.postedToMs });
  }
}

/** Two answers, one kept after the other, between which entries may have come and gone. */
interface Due {
  /** The build of the last two kept answers before, and of the first after it. */
  readonly beforeMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** The log began anew in between. */
  readonly clearedMs: number | undefined;
}

/** Where windows have nothing in common that is surely the same, or a log that had shown rows began anew. */
function dueStretches(server: SimServer, list: LogList, looks: readonly Look[]): readonly Due[] {
  const due: Due[] = [];
  let [keptEnd, beforeMs, fromMs] = [0, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const look of looks) {
    // An old answer says nothing of what came after it.
    if (look.builtMs < fromMs) continue;
    const [start, end] = rangeOf(server, list, look);
    const cleared = keptEnd === 0 ? [] : clearsBetween(server, fromMs, look.builtMs);
    const toMs = look.builtMs;
    for (const clearedMs of cleared) due.push({ beforeMs, fromMs, toMs, clearedMs });
    if (cleared.length === 0 && start < end && mayHideGap(server.logs[list].atS, start, keptEnd))
      due.push({ beforeMs, fromMs, toMs, clearedMs: undefined });
    [beforeMs, fromMs] = [fromMs, look.builtMs];
    keptEnd = Math.max(keptEnd, end);
  }
  return due;
}

/**
 * Whether somebody was there after the last answer but one and before the restart, or had rows on their way: a single
 * answer without players may be an old one that was served again.
 */
function hadPlayers({ sessions }: SimServer, { beforeMs, clearedMs = 0 }: Due): boolean {
  return sessions.some(
    (session) => session.fromMs < clearedMs && session.toMs + LATEST_ROW_S * 1_000 > beforeMs,
  );
}

/**
 * Nothing that had been shown stands in the window that begins at `start`; or only rows of seconds whose other rows are
 * gone: equal ones that came later would look the same.
 */
function mayHideGap(atS: readonly number[], start: number, keptEnd: number): boolean {
  const gone = new Set(atS.slice(Math.max(0, start - CAPACITY), start));
  return atS.slice(start, Math.max(start, keptEnd)).every((second) => gone.has(second));
}

/** What the bot could see made the notice due: a window beyond the last one, a new log, a guild that slept. */
function isDueBy({ fromS, toS, atMs }: Notice, due: readonly Due[], server: SimServer): boolean {
  // A key that was slept through: what the guild missed is no longer kept.
  if (fromS === undefined && server.keys > 0) return true;
  return due.some(
    ({ fromMs, toMs }) =>
      fromMs <= atMs && (toS + LATEST_ROW_S) * 1_000 >= fromMs && (fromS ?? 0) * 1_000 <= toMs,
  );
}

/**
 * Does the notice say that this entry may be missing? To the second; one without a beginning follows what stood before.
 * An entry that is dated ahead of its time is looked for where it came.
 */
function names({ fromS, toS, afterMs }: Notice, datedS: number, arrivedMs: number): boolean {
  const atS = Math.min(datedS, Math.floor(arrivedMs / 1_000));
  return atS <= toS && (fromS === undefined ? arrivedMs > afterMs : fromS <= atS);
}

function count(feed: Followed, index: number, isMarked: boolean): void {
  const counts = isMarked ? feed.marked : feed.plain;
  counts[index] = Math.min(255, (counts[index] ?? 0) + 1);
  feed.postedToMs = Math.max(feed.postedToMs, feed.server.logs[feed.list].arrivedMs[index] ?? 0);
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

function textOf({ content, cards, files }: MessageBody): string {
  const parts = [content, ...(cards ?? []).map((card) => card.description)];
  const data = (files ?? []).map((file) => (typeof file.data === "string" ? file.data : ""));
  return [...parts, ...data].join("\n");
}
