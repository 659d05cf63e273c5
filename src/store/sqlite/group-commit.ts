import { StoreError } from "../../domain/failure.ts";
import type { DiskTurns } from "./disk-turns.ts";
import { GroupPace } from "./group-pace.ts";
import { LockPauses, type LockWait } from "./lock-wait.ts";
import type { FileAnswer, FileOutcome, FileRequest } from "./requests.ts";
import { isLocked } from "./sqlite-errors.ts";

const BROKEN_OFF = "sqlite broke the transaction off";

/** A group that is larger would hold up what may go ahead for longer than a moment. */
const MOST_IN_GROUP = 500;

/** A read looks through this many requests for what it has to wait for; with more it waits with them. */
const MOST_LOOKED_THROUGH = 200;

type FileRead = Extract<FileRequest, { kind: "read" }>;

/** Where a group is carried out. */
export interface GroupDatabase {
  readonly isInTransaction: boolean;
  begin(): void;
  commit(): void;
  rollback(): void;
  /** Throws sqlite's error. A listing is asked for outside of a transaction. */
  answer(request: FileRequest): FileAnswer;
  /** Called between two groups. Never throws. */
  tidy?(isLocked: (error: unknown) => boolean): void;
}

export interface GroupCommitParts {
  readonly database: GroupDatabase;
  readonly disk: DiskTurns;
  /** Throws where the file is not the one that was opened. */
  readonly checkFile: () => void;
  /** How long each request waits for another program's lock. */
  readonly lock: LockWait;
  /** Calls back once what has been asked by now has been handed over, and not before so many milliseconds. */
  readonly soon: (work: () => void, inMs: number) => void;
}

interface Waiting {
  readonly request: FileRequest;
  readonly done: (outcome: FileOutcome) => void;
  /** Of the time slept for locks. */
  readonly untilSleptMs: number;
}

/**
 * Carries out what a store file is asked, in the order of asking: all that waits goes into one transaction, and is there for
 * good once that is committed. Full writes then wait for the disk, together and beside the next transaction, so nothing
 * else ever waits for them; a wait for the disk takes everything along that was committed before it. Writes that may go
 * ahead are committed before whatever else waits. A request that is refused fails alone.
 */
export class GroupCommit {
  readonly #parts: GroupCommitParts;
  readonly #pauses = new LockPauses();
  #ahead: Waiting[] = [];
  #queue: Waiting[] = [];
  /** Writes that wait for the disk. */
  #onTheirWay = 0;
  #sleptMs = 0;
  /** Another program has the file: nothing is begun. */
  #isPaused = false;
  /** What is about to begin a group: with what has waited for more, or at once. */
  #woken: { readonly isAtOnce: boolean } | undefined;
  readonly #pace = new GroupPace();
  #onIdle: (() => void) | undefined;

  constructor(parts: GroupCommitParts) {
    this.#parts = parts;
  }

  /** `done` is called once, with the answer or the refusal. */
  take(request: FileRequest, done: (outcome: FileOutcome) => void): void {
    if (request.kind === "read" && this.#readPast(request, done)) return;
    const untilSleptMs = this.#sleptMs + this.#parts.lock.waitMs;
    (isAhead(request) ? this.#ahead : this.#queue).push({ request, done, untilSleptMs });
    this.#wake(isAtOnce(request));
  }

  /** Resolves when all that was taken has ended. */
  async drain(): Promise<void> {
    if (this.#isIdle) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  /** A commit costs what is written, and not a page for each document: the more go together, the better. */
  get #waits(): boolean {
    return this.#parts.database.tidy !== undefined;
  }

  get #isIdle(): boolean {
    return this.#ahead.length + this.#queue.length + this.#onTheirWay === 0;
  }

  /**
   * People wait for what is read, and each group costs the disk a page: a read of keys that nothing waiting changes sees the
   * same without it. False: it has to go with the others.
   */
  #readPast(request: FileRead, done: Waiting["done"]): boolean {
    const waiting = this.#ahead.length + this.#queue.length;
    if (!this.#waits || this.#isPaused || waiting > MOST_LOOKED_THROUGH) return false;
    if ([...this.#ahead, ...this.#queue].some((one) => changesAny(one.request, request))) return false;
    let outcome: FileOutcome;
    try {
      outcome = this.#answer({ request });
    } catch {
      // Another program has the file: it waits for its turn.
      return false;
    }
    done(outcome);
    // What is due for its place, or found none on a full disk, gets it also where nobody writes.
    this.#wake(false);
    return true;
  }

  /** What was to begin a group later begins none any more once another one has. */
  #wake(isAtOnce: boolean): void {
    if (this.#isPaused || this.#woken?.isAtOnce === true || (this.#woken !== undefined && !isAtOnce)) return;
    const woken = { isAtOnce };
    this.#woken = woken;
    const waitMs = this.#waits && !isAtOnce ? this.#pace.waitMs : 0;
    this.#parts.soon(() => {
      if (this.#woken === woken) this.#go();
    }, waitMs);
  }

  #go(): void {
    if (this.#isPaused) return;
    this.#woken = undefined;
    if (this.#ahead.length + this.#queue.length === 0) {
      this.#parts.database.tidy?.(isLocked);
      return;
    }
    const hadAhead = this.#ahead.length > 0;
    const group = this.#nextGroup();
    this.#pace.note(group.length);
    let outcomes: readonly FileOutcome[];
    try {
      outcomes = this.#carryOut(group);
    } catch (error) {
      this.#onLocked(group, error, hadAhead);
      return;
    }
    this.#pauses.reset();
    for (const [index, waiting] of group.entries()) this.#end(waiting, outcomes[index]);
    this.#parts.database.tidy?.(isLocked);
    this.#goOn();
  }

  /** A listing goes alone. Where groups wait for more, what goes ahead takes the others along. */
  #nextGroup(): readonly Waiting[] {
    const ahead = this.#ahead.splice(0, MOST_IN_GROUP);
    if (ahead.length > 0 && !this.#waits) return ahead;
    const listing = this.#queue.findIndex(({ request }) => isListing(request));
    const end = listing === -1 ? MOST_IN_GROUP : listing;
    if (end === 0 && ahead.length === 0) return this.#queue.splice(0, 1);
    return [...ahead, ...this.#queue.splice(0, Math.min(end, MOST_IN_GROUP))];
  }

  #goOn(): void {
    const left = [...this.#ahead, ...this.#queue.slice(0, MOST_IN_GROUP)];
    if (left.length > 0) this.#wake(left.some(({ request }) => isAtOnce(request)));
    if (this.#isIdle) this.#onIdle?.();
  }

  /** Another program has the file: nothing overtakes what waits for it, each no longer than its own time. */
  #onLocked(group: readonly Waiting[], error: unknown, hadAhead: boolean): void {
    const { sleep } = this.#parts.lock;
    const [over, left] = [[] as Waiting[], [] as Waiting[]];
    for (const waiting of group) (waiting.untilSleptMs <= this.#sleptMs ? over : left).push(waiting);
    if (hadAhead) this.#ahead = [...left, ...this.#ahead];
    else this.#queue = [...left, ...this.#queue];
    for (const { done } of over) done({ kind: "refused", error });

    this.#isPaused = true;
    const pauseMs = this.#pauses.next();
    void sleep(pauseMs).then(() => {
      this.#sleptMs += pauseMs;
      this.#isPaused = false;
      this.#woken = undefined;
      this.#goOn();
    });
  }

  /** One transaction; where that is refused as a whole, one for each. Throws only while the file is locked. */
  #carryOut(group: readonly Waiting[]): readonly FileOutcome[] {
    const { database } = this.#parts;
    if (!group.some(({ request }) => isWriting(request))) return group.map((one) => this.#answer(one));
    try {
      database.begin();
      const outcomes = group.map((one) => {
        const outcome = this.#answer(one);
        // On a full disk sqlite takes back the whole transaction.
        if (!database.isInTransaction)
          throw outcome.kind === "refused" ? outcome.error : new StoreError(BROKEN_OFF);
        return outcome;
      });
      database.commit();
      return outcomes;
    } catch (error) {
      database.rollback();
      if (isLocked(error)) throw error;
      if (group.length > 1) return group.map((one) => this.#alone(one));
      return [{ kind: "refused", error }];
    }
  }

  #alone(waiting: Waiting): FileOutcome {
    const [outcome] = this.#carryOut([waiting]);
    return outcome ?? { kind: "refused", error: new StoreError(BROKEN_OFF) };
  }

  #answer({ request }: Pick<Waiting, "request">): FileOutcome {
    try {
      if (request.kind === "probe") this.#parts.checkFile();
      return { kind: "answer", value: this.#parts.database.answer(request) };
    } catch (error) {
      if (isLocked(error)) throw error;
      return { kind: "refused", error };
    }
  }

  #end({ request, done }: Waiting, outcome: FileOutcome | undefined): void {
    if (outcome === undefined) return;
    const isFull = request.kind === "write" && request.durability === "full";
    if (outcome.kind === "refused" || !isFull) {
      done(outcome);
      return;
    }
    const { disk } = this.#parts;
    this.#onTheirWay += 1;
    const onDisk = isAhead(request) ? disk.waitAhead() : disk.wait();
    const end = (ended: FileOutcome) => {
      this.#onTheirWay -= 1;
      done(ended);
      if (this.#isIdle) this.#onIdle?.();
    };
    onDisk.then(
      () => end(outcome),
      (error: unknown) => end({ kind: "refused", error }),
    );
  }
}

function isAhead(request: FileRequest): boolean {
  return request.kind === "write" && request.turn !== "in-turn";
}

/** Nobody who writes it waits for it, or people wait for what is read. */
function isAtOnce(request: FileRequest): boolean {
  return request.kind === "write" ? request.turn === "at-once" : !isWriting(request);
}

/** Whether a request changes one of the keys that are read. */
function changesAny(request: FileRequest, { namespace, keys }: FileRead): boolean {
  if (request.kind !== "write") return false;
  return request.changes.some(
    (change) => "key" in change && change.namespace === namespace && keys.includes(change.key),
  );
}

/** It sees what stands in its place. */
function isListing({ kind }: FileRequest): boolean {
  return kind !== "read" && !isWriting({ kind });
}

function isWriting({ kind }: Pick<FileRequest, "kind">): boolean {
  return kind === "write" || kind === "probe";
}
