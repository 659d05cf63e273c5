import type { Failure } from "../../domain/failure.ts";
import type { SourceId } from "../../domain/model.ts";
import type { Outcome } from "../http/classify.ts";
import type { Exchange } from "./in-flight.ts";

/** The wait after an answer that names none: doubled each time, up to the longest. */
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 10 * 60_000;
/** What one server's answer says of a route holds the other servers no longer than this. */
const LONGEST_UNCONFIRMED_MS = 60_000;
/** Servers whose requests show that a trouble is the route's. */
const SERVERS_OF_ALL = 2;
/** Beyond so many, those whose wait has been over for long are forgotten. */
const MOST_REMEMBERED = 1_000;

/** Trouble of one route, for one server or for all. */
interface Trouble {
  failure: Failure;
  untilMs: number;
  times: number;
  /** Servers whose requests met it since the last good answer; more than one show that it is the route's. */
  readonly sources: Set<SourceId>;
}

interface Meeting {
  readonly failure: Failure;
  readonly source: SourceId;
  readonly nowMs: number;
  /** How many servers have to meet it before it counts. */
  readonly servers: number;
}

export interface RouteWait {
  readonly failure: Failure;
  readonly untilMs: number;
}

/**
 * Routes that the service, or something in front of it, does not serve at present: an error that names a wait, or a page
 * where an answer should be. Such a route is left alone for the wait, first for the server whose request met it; the
 * others wait for as long where a second server met it too, and meanwhile at most a minute where reads named the wait,
 * which share a limit. After the wait one request asks for all. Pure; times are monotonic milliseconds.
 */
export class RouteWaits {
  readonly #ofServer = new Map<string, Trouble>();
  readonly #ofRoute = new Map<string, Trouble>();
  readonly #inFlight = new Map<string, number>();

  /** What a request would wait for; undefined: nothing. */
  standing(exchange: Exchange, nowMs: number): RouteWait | undefined {
    const found = [this.#ofServer.get(serverOf(exchange)), this.#ofRoute.get(routeOf(exchange))];
    let longest: RouteWait | undefined;
    for (const trouble of found)
      if (trouble !== undefined && trouble.untilMs > Math.max(nowMs, longest?.untilMs ?? 0))
        longest = { failure: trouble.failure, untilMs: trouble.untilMs };
    return longest;
  }

  /** When a request may start; infinitely late while another one asks for all. */
  readyAtMs(exchange: Exchange, nowMs: number): number {
    const wait = this.standing(exchange, nowMs);
    if (wait !== undefined) return wait.untilMs;
    const route = routeOf(exchange);
    const isAsked = isOfAll(this.#ofRoute.get(route)) && (this.#inFlight.get(route) ?? 0) > 0;
    return isAsked ? Number.POSITIVE_INFINITY : nowMs;
  }

  onStarted(exchange: Exchange): void {
    const route = routeOf(exchange);
    this.#inFlight.set(route, (this.#inFlight.get(route) ?? 0) + 1);
  }

  onEnded(exchange: Exchange): void {
    const route = routeOf(exchange);
    this.#inFlight.set(route, (this.#inFlight.get(route) ?? 0) - 1);
  }

  onAnswer(exchange: Exchange, outcome: Outcome, nowMs: number): void {
    if (outcome.kind === "halt") return;
    const server = serverOf(exchange);
    const route = routeOf(exchange);
    if (outcome.kind !== "failure" || outcome.routeWait === undefined) {
      this.#isServed(this.#ofServer, server, nowMs);
      this.#isServed(this.#ofRoute, route, nowMs);
      return;
    }

    const { failure, routeWait } = outcome;
    const met = { failure, source: exchange.source, nowMs };
    const own = this.#meet(this.#ofServer, server, { ...met, servers: 1 });
    hold(own, routeWait.toldMs ?? ownWaitMs(own.times), nowMs);
    const general = this.#meet(this.#ofRoute, route, { ...met, servers: SERVERS_OF_ALL });
    if (isOfAll(general)) hold(general, routeWait.toldMs ?? ownWaitMs(general.times), nowMs);
    else if (exchange.route === "read")
      hold(general, Math.min(routeWait.toldMs ?? 0, LONGEST_UNCONFIRMED_MS), nowMs);
  }

  /** The server's key is not used any more. */
  forget(source: SourceId): void {
    for (const name of this.#ofServer.keys()) if (name.endsWith(` ${source}`)) this.#ofServer.delete(name);
  }

  /** A wait that was named is kept to its end, also where an answer that was on its way then is a good one. */
  #isServed(troubles: Map<string, Trouble>, name: string, nowMs: number): void {
    const trouble = troubles.get(name);
    if (trouble === undefined) return;
    trouble.times = 0;
    trouble.sources.clear();
    if (trouble.untilMs <= nowMs) troubles.delete(name);
  }

  /** Takes in one more meeting with a trouble. Those of one burst count once, and only those of enough servers. */
  #meet(troubles: Map<string, Trouble>, name: string, met: Meeting): Trouble {
    const { failure, source, nowMs, servers } = met;
    const trouble = troubles.get(name) ?? { failure, untilMs: nowMs, times: 0, sources: new Set() };
    trouble.failure = failure;
    trouble.sources.add(source);
    if (nowMs >= trouble.untilMs && trouble.sources.size >= servers) trouble.times += 1;
    if (troubles.size >= MOST_REMEMBERED) forgetOld(troubles, nowMs);
    troubles.set(name, trouble);
    return trouble;
  }
}

function hold(trouble: Trouble, forMs: number, nowMs: number): void {
  trouble.untilMs = Math.max(trouble.untilMs, nowMs + forMs);
}

function isOfAll(trouble: Trouble | undefined): boolean {
  return trouble !== undefined && trouble.sources.size >= SERVERS_OF_ALL;
}

function forgetOld(troubles: Map<string, Trouble>, nowMs: number): void {
  for (const [name, { untilMs }] of troubles) if (nowMs - untilMs > LONGEST_WAIT_MS) troubles.delete(name);
}

function ownWaitMs(times: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(20, Math.max(0, times - 1)));
}

function routeOf({ route, path }: Exchange): string {
  return `${route} ${path.split("?", 1)[0]}`;
}

function serverOf(exchange: Exchange): string {
  return `${routeOf(exchange)} ${exchange.source}`;
}
