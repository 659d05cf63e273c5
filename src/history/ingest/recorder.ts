import { setImmediate } from "node:timers/promises";
import { BackOff } from "../../domain/back-off.ts";
import { guildOf } from "../../domain/journal-id.ts";
import type { CommandEntry, LogEntry, PlayerRef, Snapshot, SourceId } from "../../domain/model.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { JournalReader, Unread } from "../../domain/ports/journal.ts";
import { type News, recordedAnswerOf } from "./answer-to-record.ts";
import { type CardAnswerPorts, CardAnswers } from "./card-answers.ts";
import type { CardAnswer, Link, RecordedAnswer, StoredAnswers } from "./recorded-answer.ts";
import { type WaitingAnswer, waiting, waitingPacked } from "./waiting-answer.ts";

export interface RecorderParts extends CardAnswerPorts {
  readonly journal: JournalReader;
  readonly clock: Clock;
  readonly random: Random;
  /** How many servers are recorded. */
  servers(): number;
  /** The present by the service's clock, seconds; undefined before any answer stated it. */
  presentS(): number | undefined;
  /** The guilds for which a server is recorded; none: its answers are left alone. */
  linksOf(source: SourceId): readonly Link[];
  /** Whether a guild records where people are. */
  tracks(guildId: string): boolean;
  /** Whom a command of the log hit. */
  hitBy(source: SourceId, row: CommandEntry): readonly PlayerRef[];
  /** Stores answers in their order; resolves when they stand in the database, as far as it takes them. */
  store(answers: readonly RecordedAnswer[]): Promise<StoredAnswers>;
  /** `sources` are the servers whose answers they were. */
  onStored(stored: StoredAnswers, sources: readonly SourceId[]): void;
  onFailed(error: unknown): void;
  /** Answers that were given up; what they brought comes with a later one. */
  onDropped(answers: number): void;
}

/** One of some answers that are stored together. */
interface Place {
  readonly some: readonly WaitingAnswer[];
  readonly at: number;
  readonly waits: WaitingAnswer;
}

/** Answers of one server that wait; a newer one shows nearly all that an older one did. */
const MOST_OF_SOURCE = 3;
const MOST_QUEUED = 2_000;
const AT_ONCE = 400;
/** With more servers than this, answers wait a moment for others: stored together they cost the disk a tenth. */
const MANY_SERVERS = 100;
const TOGETHER_WITHIN_MS = 5_000;
/**
 * With more servers than this, what waits is packed. At a thousand that cost the longest hundredth of first answers a third,
 * and the heap has room for it.
 */
const PACKED_BEYOND = 1_000;
const YIELD_EVERY_ANSWERS = 8;
const MS_PER_S = 1_000;
const MOST_ATTEMPTS = 5;
const NOTHING: StoredAnswers = { rows: 0, refused: 0 };

/**
 * The bounded queue before the worker. Taking an answer waits for nothing; while the database is slow or away, answers
 * wait here, newer ones take the place of older ones, and rows wait in the windows that the service still shows.
 */
export class Recorder {
  readonly #parts: RecorderParts;
  readonly #backOff: BackOff;
  readonly #cardAnswers: CardAnswers;
  /** Oldest first. */
  #queue: WaitingAnswer[] = [];
  #draining: Promise<void> | undefined;
  #isDraining = false;
  readonly #abort = new AbortController();

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#cardAnswers = new CardAnswers(parts);
    this.#backOff = new BackOff(parts.clock, parts.random);
  }

  take(snapshot: Snapshot): void {
    if (this.#abort.signal.aborted) return;
    // Nobody records this server: what it shows is not kept for the history.
    if (this.#parts.linksOf(snapshot.source).length === 0) {
      this.#parts.journal.pass(snapshot);
      return;
    }
    const atS = Math.floor(secondOf(snapshot, this.#parts.presentS()));
    const isPacked = this.#parts.servers() > PACKED_BEYOND;
    this.#queue.push(isPacked ? waitingPacked(snapshot, atS) : waiting(snapshot, atS));
    const ofSource = this.#queue.filter(({ source }) => source === snapshot.source);
    if (ofSource.length > MOST_OF_SOURCE) this.#drop(ofSource[0]);
    else if (this.#queue.length > MOST_QUEUED) this.#drop(this.#queue[0]);
    if (!this.#isDraining) this.#draining = this.#drain();
  }

  get #waitsForOthers(): boolean {
    return this.#parts.servers() > MANY_SERVERS;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** A server that is linked or unlinked: what is stored of it is looked at anew. */
  forget(source: SourceId): void {
    this.#parts.journal.readAnew(source);
  }

  /** Nothing more is taken; resolves when what waits is stored, or could not be. */
  async stop(): Promise<void> {
    const draining = this.#draining;
    this.#abort.abort();
    await draining;
  }

  /** Ends in the turn in which it finds nothing more: an answer that comes right after begins it anew. */
  async #drain(): Promise<void> {
    this.#isDraining = true;
    try {
      while (this.#queue.length > 0) {
        if (this.#waitsForOthers && this.#queue.length < AT_ONCE)
          await this.#parts.clock.sleep(TOGETHER_WITHIN_MS, this.#abort.signal).catch(() => undefined);
        const some = this.#queue.slice(0, AT_ONCE);
        try {
          await this.#store(some);
          this.#backOff.reset();
        } catch (error) {
          this.#parts.onFailed(error);
          for (const queued of some) queued.attempts += 1;
          for (const queued of some) if (queued.attempts >= MOST_ATTEMPTS) this.#drop(queued);
          if (this.#abort.signal.aborted) return;
          await this.#backOff.wait(this.#abort.signal).catch(() => undefined);
        }
      }
    } finally {
      this.#isDraining = false;
    }
  }

  async #store(some: readonly WaitingAnswer[]): Promise<void> {
    const read: Unread[] = [];
    const answers: RecordedAnswer[] = [];
    for (const [at, waits] of some.entries()) {
      const look = waits.look();
      const unread = await this.#parts.journal.unread(look);
      read.push(...unread);
      answers.push(...this.#answersOf({ some, at, waits }, look, unread));
      // Of several hundred answers the making takes long enough that somebody would wait for a first answer.
      if (at % YIELD_EVERY_ANSWERS === YIELD_EVERY_ANSWERS - 1) await setImmediate();
    }
    const stored = await this.#storeAnswers(answers).catch((error: unknown) => {
      for (const { failed } of read) failed(error);
      throw error;
    });
    for (const { done } of read) done();
    const finished = new Set(some);
    this.#queue = this.#queue.filter((waits) => !finished.has(waits));
    this.#parts.onStored(stored, [...new Set(some.map(({ source }) => source))]);
  }

  /** For each journal that has its rows. */
  #answersOf(
    { some, at, waits: { atS } }: Place,
    look: Snapshot,
    unread: readonly Unread[],
  ): readonly RecordedAnswer[] {
    const { source, takenAtMs } = look;
    const before = some.slice(0, at).findLast((one) => one.source === source);
    const isLast = some.slice(at + 1).every((one) => one.source !== source);
    const span = {
      afterMs: before?.takenAtMs ?? Number.NEGATIVE_INFINITY,
      untilMs: isLast ? Number.POSITIVE_INFINITY : takenAtMs,
    };
    const news = unread.map((one) => within(one, span));
    return byJournal(this.#parts.linksOf(source), news).map(([readers, own]) =>
      this.#recorded({ snapshot: look, atS }, readers, own),
    );
  }

  async #storeAnswers(answers: readonly RecordedAnswer[]): Promise<StoredAnswers> {
    const cards = await this.#cardAnswers.changes(linksOf(answers));
    const stored =
      answers.length === 0 ? NOTHING : await this.#parts.store(withCards(answers, cards.answers));
    cards.onStored();
    return stored;
  }

  #recorded(
    { snapshot, atS }: { readonly snapshot: Snapshot; readonly atS: number },
    links: readonly Link[],
    news: readonly News[],
  ): RecordedAnswer {
    const hitBy = (row: CommandEntry) => this.#parts.hitBy(snapshot.source, row);
    const withSpots = links.some(({ guildId }) => this.#parts.tracks(guildId));
    return recordedAnswerOf({ snapshot, atS, links, news, hitBy, withSpots });
  }

  #drop(dropped: WaitingAnswer | undefined): void {
    if (dropped === undefined) return;
    this.#queue = this.#queue.filter((queued) => queued !== dropped);
    this.#parts.onDropped(1);
  }
}

function linksOf(answers: readonly RecordedAnswer[]): readonly Link[] {
  return [...new Map(answers.flatMap(({ links }) => links.map((link) => [link.bindingId, link]))).values()];
}

/** What is on cards goes with the newest answer of its server, whose rows have the calls. */
function withCards(
  answers: readonly RecordedAnswer[],
  cards: readonly CardAnswer[],
): readonly RecordedAnswer[] {
  const newest = new Map(
    answers.flatMap((answer) => answer.links.map(({ bindingId }) => [bindingId, answer])),
  );
  return answers.map((answer) => {
    const cardAnswers = cards.filter(({ bindingId }) => newest.get(bindingId) === answer);
    return cardAnswers.length === 0 ? answer : { ...answer, cardAnswers };
  });
}

/** What came with the answers of that time: of several that wait, each brings its own. */
function within(
  { log, isFirst, items }: News,
  { afterMs, untilMs }: { readonly afterMs: number; readonly untilMs: number },
): News {
  const own = items.filter(({ seenAtMs }) => seenAtMs > afterMs && seenAtMs <= untilMs);
  return { log, isFirst, items: own };
}

/** The links of a server, with what is news to them: a journal is all guilds', or each guild's own. */
function byJournal(
  links: readonly Link[],
  news: readonly News[],
): readonly (readonly [links: readonly Link[], news: readonly News[]])[] {
  const groups = Map.groupBy(links, ({ guildId }) =>
    news.some(({ log }) => guildOf(log.source) === guildId) ? guildId : undefined,
  );
  return [...groups].map(([guildId, readers]) => [
    readers,
    news.filter(({ log }) => guildOf(log.source) === guildId),
  ]);
}

/**
 * When an answer was given. Where neither it nor one before stated the service's time, its newest row counts, because our
 * own clock may have been set by years.
 */
function secondOf({ serviceAtMs, takenAtMs, lists }: Snapshot, presentS: number | undefined): number {
  if (serviceAtMs !== undefined) return serviceAtMs / MS_PER_S;
  if (presentS !== undefined) return presentS;
  const { joinLogs = [], killLogs = [], commandLogs = [], modCalls = [] } = lists;
  const rows: readonly LogEntry[] = [...joinLogs, ...killLogs, ...commandLogs, ...modCalls];
  return rows.length === 0
    ? takenAtMs / MS_PER_S
    : rows.reduce((newest, { atS }) => Math.max(newest, atS), 0);
}
