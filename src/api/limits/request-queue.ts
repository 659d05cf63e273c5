import { AbortWatch } from "../../domain/abort-watch.ts";
import type { Failure } from "../../domain/failure.ts";
import type { SourceId } from "../../domain/model.ts";
import type { Answered, Exchange, Job } from "./in-flight.ts";
import { TurnOrder, type WaitingClass } from "./turn-order.ts";

/** Requests that wait for their turn, until it comes, they are given up, or they are refused. */
export class RequestQueue {
  readonly #queue = new TurnOrder<Job>();
  readonly #aborts: AbortWatch<Job>;

  /** `onAborted`: the signal of a request was aborted, whether it still waits or has left. */
  constructor(onAborted: (job: Job, signal: AbortSignal) => void) {
    this.#aborts = new AbortWatch(onAborted);
  }

  get isEmpty(): boolean {
    return this.#queue.isEmpty;
  }

  get jobs(): readonly Job[] {
    return [...this.#queue];
  }

  get counts(): Readonly<Record<WaitingClass, number>> {
    return { internal: this.count("internal"), person: this.count("person"), poll: this.count("poll") };
  }

  count(waitingClass: WaitingClass): number {
    return this.#queue.count(waitingClass);
  }

  /** How many people of one guild wait. */
  countOfGuild(guildId: string): number {
    return this.#queue.countOfGuild(guildId);
  }

  /** Lets a request wait. Resolves or rejects with its outcome. */
  enter(exchange: Exchange, probe: boolean, nowMs: number): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const { signal, waitingClass, turn = "" } = exchange;
      const ended = () => {
        if (signal !== undefined) this.#aborts.delete(signal, job);
      };
      const job: Job = {
        exchange,
        waitingClass,
        turn,
        isShared: waitingClass === "person" && exchange.route === "read" && turn !== "",
        probe,
        askedMs: nowMs,
        hasLeft: false,
        resolve: (answered) => {
          ended();
          resolve(answered);
        },
        reject: (error) => {
          ended();
          reject(error);
        },
      };
      if (signal !== undefined) this.#aborts.add(signal, job);
      this.#queue.add(job);
    });
  }

  /** Back to the front: it had its turn and could not use it. */
  enterAgain(job: Job): void {
    this.#queue.addFirst(job);
  }

  /** As TurnOrder. */
  take(...args: Parameters<TurnOrder<Job>["take"]>): ReturnType<TurnOrder<Job>["take"]> {
    return this.#queue.take(...args);
  }

  /** False: it does not wait here. */
  refuse(job: Job, failure: Failure): boolean {
    if (!this.#queue.delete(job)) return false;
    job.reject(failure);
    return true;
  }

  /** Refuses each for which there is a reason. */
  refuseEach(reasonFor: (job: Job) => Failure | undefined): void {
    for (const job of this.jobs) {
      const failure = reasonFor(job);
      if (failure !== undefined) this.refuse(job, failure);
    }
  }

  refuseKey(source: SourceId, failure: Failure): void {
    this.refuseEach((job) => (job.exchange.source === source ? failure : undefined));
  }
}
