import { BackOff } from "../../domain/back-off.ts";
import type { LogEntry, LogList, Snapshot, SourceId } from "../../domain/model.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import { freshRows } from "./fresh-rows.ts";
import type { Link, RecordedAnswer } from "./recorded-answer.ts";

export interface RecorderParts {
  readonly clock: Clock;
  readonly random: Random;
  /** The present by the service's clock, seconds; undefined before any answer stated it. */
  presentS(): number | undefined;
  /** The guilds for which a server is recorded; none: its answers are left alone. */
  linksOf(source: SourceId): readonly Link[];
  /** The names at which a command aims. */
  targetsOf(text: string): readonly string[];
  /** Stores answers in their order; resolves when they stand in the database, with the number of new rows. */
  store(answers: readonly RecordedAnswer[]): Promise<number>;
  onStored(rows: number): void;
  onFailed(error: unknown): void;
  /** Answers that were given up; what their windows held comes with a later one, or is reported as missing. */
  onDropped(answers: number): void;
}

interface Queued {
  readonly snapshot: Snapshot;
  /** When it was answered, by the service's clock. */
  readonly atS: number;
  attempts: number;
}

type Windows = Readonly<Partial<Record<LogList, readonly LogEntry[]>>>;

/** Answers of one server that wait; a newer one shows nearly all that an older one did. */
const MOST_OF_SOURCE = 3;
const MOST_QUEUED = 2_000;
const AT_ONCE = 16;
const MS_PER_S = 1_000;
const MOST_ATTEMPTS = 5;

/**
 * The bounded queue before the worker. Taking an answer waits for nothing; while the database is slow or away, answers
 * wait here, newer ones take the place of older ones, and rows wait in the windows that the service still shows.
 */
export class Recorder {
  readonly #parts: RecorderParts;
  readonly #backOff: BackOff;
  /** Oldest first. */
  #queue: Queued[] = [];
  /** The windows that are stored, by server. */
  readonly #stored = new Map<SourceId, Windows>();
  #draining: Promise<void> | undefined;
  #isDraining = false;
  readonly #abort = new AbortController();

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#backOff = new BackOff(parts.clock, parts.random);
  }

  take(snapshot: Snapshot): void {
    if (this.#abort.signal.aborted || this.#parts.linksOf(snapshot.source).length === 0) return;
    const atS = Math.floor(secondOf(snapshot, this.#parts.presentS()));
    this.#queue.push({ snapshot, atS, attempts: 0 });
    const ofSource = this.#queue.filter((queued) => queued.snapshot.source === snapshot.source);
    if (ofSource.length > MOST_OF_SOURCE) this.#drop(ofSource[0]);
    else if (this.#queue.length > MOST_QUEUED) this.#drop(this.#queue[0]);
    if (!this.#isDraining) this.#draining = this.#drain();
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** A server that is linked or unlinked: what is stored of it is looked at anew. */
  forget(source: SourceId): void {
    this.#stored.delete(source);
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

  async #store(some: readonly Queued[]): Promise<void> {
    const windows = new Map<SourceId, Windows>();
    const answers = some.flatMap(({ snapshot, atS }) => {
      const links = this.#parts.linksOf(snapshot.source);
      const before = windows.get(snapshot.source) ?? this.#stored.get(snapshot.source) ?? {};
      windows.set(snapshot.source, { ...before, ...windowsOf(snapshot) });
      return links.length === 0
        ? []
        : recordedAnswerOf({
            snapshot,
            atS,
            before,
            links,
            targetsOf: (text) => this.#parts.targetsOf(text),
          });
    });
    const rows = answers.length === 0 ? 0 : await this.#parts.store(answers);
    for (const [source, its] of windows) this.#stored.set(source, its);
    const done = new Set(some);
    this.#queue = this.#queue.filter((queued) => !done.has(queued));
    this.#parts.onStored(rows);
  }

  #drop(dropped: Queued | undefined): void {
    if (dropped === undefined) return;
    this.#queue = this.#queue.filter((queued) => queued !== dropped);
    this.#parts.onDropped(1);
  }
}

function windowsOf({ lists }: Snapshot): Windows {
  const { joinLogs, killLogs, commandLogs, modCalls } = lists;
  return {
    ...(joinLogs === undefined ? {} : { joinLogs }),
    ...(killLogs === undefined ? {} : { killLogs }),
    ...(commandLogs === undefined ? {} : { commandLogs }),
    ...(modCalls === undefined ? {} : { modCalls }),
  };
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

interface Answered {
  readonly snapshot: Snapshot;
  readonly atS: number;
  readonly before: Windows;
  readonly links: readonly Link[];
  targetsOf(text: string): readonly string[];
}

/** What an answer brings that the windows before did not. */
function recordedAnswerOf({ snapshot, atS, before, links, targetsOf }: Answered): RecordedAnswer {
  const { lists, status } = snapshot;
  const fresh = <T extends LogEntry>(window: readonly T[] | undefined, list: LogList) =>
    // The windows of one list hold rows of one kind; the pairing is lost on the type checker only.
    window === undefined ? undefined : freshRows(window, before[list] as readonly T[] | undefined);
  const joins = fresh(lists.joinLogs, "joinLogs");
  const kills = fresh(lists.killLogs, "killLogs");
  const commands = fresh(lists.commandLogs, "commandLogs");
  const modCalls = fresh(lists.modCalls, "modCalls");
  const newestJoinS = lists.joinLogs?.reduce((newest, { atS }) => Math.max(newest, atS), 0);
  const aimed = commands?.rows.map((row) => ({ ...row, targets: targetsOf(row.text) }));
  return {
    links,
    atS,
    playerCount: status.currentPlayers,
    ...(lists.players === undefined
      ? {}
      : { players: lists.players.map(({ player, permission }) => ({ player, permission })) }),
    ...(lists.queue === undefined ? {} : { queue: lists.queue.length }),
    ...(lists.emergencyCalls === undefined ? {} : { emergencyCalls: lists.emergencyCalls }),
    ...(newestJoinS === undefined ? {} : { newestJoinS }),
    ...(joins === undefined ? {} : { joins }),
    ...(kills === undefined ? {} : { kills }),
    ...(commands === undefined || aimed === undefined ? {} : { commands: { ...commands, rows: aimed } }),
    ...(modCalls === undefined ? {} : { modCalls }),
  };
}
