import type { RESTOptions } from "@discordjs/rest";
import { RateLimitError } from "discord.js";
import { isLongWait } from "./long-waits.ts";
import type { LimitWait, RequestLimits, RequestPlace } from "./request-limits.ts";

type MakeRequest = RESTOptions["makeRequest"];
type RequestInit = Parameters<MakeRequest>[1];
type Answer = Awaited<ReturnType<MakeRequest>>;

/** Time for one attempt, until its answer begins. */
const ATTEMPT_MS = 15_000;
/** @discordjs/rest counts the waits here as a part of the attempt, so its own limit of it is out of the way. */
const NEVER_MS = 2_147_483_647;

/**
 * What keeps @discordjs/rest from waiting by the wall clock: requests wait here, by the monotonic one, and what it learns
 * of limits leaves it nothing to wait for. Its queues still keep the requests of a channel in their order.
 */
export function steadyRest(limits: RequestLimits, send: MakeRequest) {
  return {
    makeRequest: withinLimits(limits, send),
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    timeout: NEVER_MS,
  } satisfies Partial<RESTOptions>;
}

/**
 * A way of sending within Discord's limits. A request that Discord refuses with 429 is made again when it may be. Rejects
 * with RateLimitError where its sender has to decide anew.
 */
function withinLimits(limits: RequestLimits, send: MakeRequest): MakeRequest {
  return async (url, init) => {
    const place = placeOf(url, init.method ?? "GET");
    const waiting: Waiting = { place, url, signal: init.signal ?? undefined, waitedMs: 0 };
    for (;;) {
      await turn(limits, waiting);
      const answer = await attempt(send, url, init);
      const refused = limits.learn(place, answer.status, answer.headers);
      if (refused === undefined) return withoutLimits(answer);
      // A body that is not read keeps its connection.
      await answer.arrayBuffer();
      await waitFor(limits, refused, waiting);
    }
  };
}

interface Waiting {
  readonly place: RequestPlace;
  readonly url: string;
  readonly signal: AbortSignal | undefined;
  /** In all its waits so far. */
  waitedMs: number;
}

/** Resolves when the request may be made, and has taken its place. */
async function turn(limits: RequestLimits, waiting: Waiting): Promise<void> {
  for (;;) {
    const wait = limits.take(waiting.place);
    if (wait === undefined) return;
    await waitFor(limits, wait, waiting);
  }
}

async function waitFor(limits: RequestLimits, wait: LimitWait, waiting: Waiting): Promise<void> {
  const { place, url, signal, waitedMs } = waiting;
  const leftMs = limits.leftMs(wait);
  const { method, route, major: majorParameter } = place;
  const told = { global: wait.isGlobal, method, url, route, majorParameter, hash: "", limit: 0 };
  const limit = {
    ...told,
    timeToReset: leftMs,
    retryAfter: leftMs,
    sublimitTimeout: 0,
    scope: "user",
  } as const;
  if (isLongWait(limit, waitedMs)) throw new RateLimitError(limit);
  waiting.waitedMs += leftMs;
  await limits.sleepUntil(wait.untilMs, signal);
}

/** One attempt, given up as @discordjs/rest would. */
async function attempt(send: MakeRequest, url: string, init: RequestInit): Promise<Answer> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ATTEMPT_MS);
  const signal = init.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal;
  try {
    return await send(url, { ...init, signal });
  } finally {
    clearTimeout(timer);
  }
}

/** With nothing remaining @discordjs/rest would wait for the reset, by the wall clock. */
function withoutLimits(answer: Answer): Answer {
  if (answer.headers.get("x-ratelimit-remaining") !== "0") return answer;
  const { status, statusText } = answer;
  const headers = new Headers(answer.headers as Headers);
  headers.delete("x-ratelimit-remaining");
  return new Response(answer.body as ReadableStream | null, { status, statusText, headers });
}

/** As @discordjs/rest divides requests. */
function placeOf(url: string, method: string): RequestPlace {
  const path = new URL(url).pathname.replace(/^.*?\/v\d+(?=\/)/, "");
  const [, webhook, other] =
    /^\/(?:webhooks\/(\d{17,19}\/[^/]+)|(?:channels|guilds|webhooks)\/(\d{17,19}))/.exec(path) ?? [];
  const route = path
    .replaceAll(/\d{17,19}/g, ":id")
    .replace(/\/reactions\/.*/, "/reactions/:reaction")
    .replace(/^\/webhooks\/:id\/[^/]+/, "/webhooks/:id/:token")
    .replace(/^\/interactions\/:id\/[^/]+/, "/interactions/:id/:token");
  return { method, route, major: webhook ?? other ?? "", isAnswer: isAnswer(url) };
}

/** Whether a request answers a person's interaction. */
export function isAnswer(url: string): boolean {
  return /\/(interactions|webhooks)\//.test(url);
}
