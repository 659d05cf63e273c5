import { StoreError } from "../../domain/failure.ts";
import type { DiskTurns } from "./disk-turns.ts";
import { LockPauses, type LockWait } from "./lock-wait.ts";
import type { FileOutcome, FileRequest } from "./requests.ts";
import { isLocked } from "./sqlite-errors.ts";
import type { StoreDatabase } from "./store-database.ts";

const BROKEN_OFF = "sqlite broke the transaction off";

/** A group that is larger would hold up what may go ahead for longer than a moment. */
const MOST_IN_GROUP = 500;

export interface GroupCommitParts {
  readonly database: StoreDatabase;
  readonly disk: DiskTurns;
  /** Throws where the file is not the one that was opened. */
  readonly checkFile: () => void;
  /** How long each request waits for another program's lock. */
  readonly lock: LockWait;
  /** Calls back once what has been asked by now has been handed over. */
  readonly soon: (work: () => void) => void;
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
  #isWoken = false;
  #onIdle: (() => void) | undefined;

  constructor(parts: GroupCommitParts) {
    this.#parts = parts;
  }

  /** `done` is called once, with the answer or the refusal. */
  take(request: FileRequest, done: (outcome: FileOutcome) => void): void {
    const isAhead = request.kind === "write" && request.turn === "ahead";
    const untilSleptMs = this.#sleptMs + this.#parts.lock.waitMs;
    (isAhead ? this.#ahead : this.#queue).push({ request, done, untilSleptMs });
    this.#wake();
  }

  /** Resolves when all that was taken has ended. */
  async drain(): Promise<void> {
    if (this.#isIdle) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  get #isIdle(): boolean {
    return this.#ahead.length + this.#queue.length + this.#onTheirWay === 0;
  }

  #wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    this.#parts.soon(() => this.#go());
  }

  #go(): void {
    this.#isWoken = false;
    const isAhead = this.#ahead.length > 0;
    const group = (isAhead ? this.#ahead : this.#queue).splice(0, MOST_IN_GROUP);
    let outcomes: readonly FileOutcome[];
    try {
      outcomes = this.#carryOut(group);
    } catch (error) {
      this.#onLocked(group, error, isAhead);
      return;
    }
    this.#pauses.reset();
    for (const [index, waiting] of group.entries()) this.#end(waiting, outcomes[index]);
    this.#goOn();
  }

  #goOn(): void {
    if (this.#ahead.length + this.#queue.length > 0) this.#wake();
    else if (this.#isIdle) this.#onIdle?.();
  }

  /** Another program has the file: nothing overtakes what waits for it, each no longer than its own time. */
  #onLocked(group: readonly Waiting[], error: unknown, isAhead: boolean): void {
    const { sleep } = this.#parts.lock;
    const [over, left] = [[] as Waiting[], [] as Waiting[]];
    for (const waiting of group) (waiting.untilSleptMs <= this.#sleptMs ? over : left).push(waiting);
    if (isAhead) this.#ahead = [...left, ...this.#ahead];
    else this.#queue = [...left, ...this.#queue];
    for (const { done } of over) done({ kind: "refused", error });

    this.#isWoken = true;
    const pauseMs = this.#pauses.next();
    void sleep(pauseMs).then(() => {
      this.#sleptMs += pauseMs;
      this.#isWoken = false;
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

  #answer({ request }: Waiting): FileOutcome {
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
    const onDisk = request.turn === "ahead" ? disk.waitAhead() : disk.wait();
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

function isWriting({ kind }: FileRequest): boolean {
  return kind === "write" || kind === "probe";
}
