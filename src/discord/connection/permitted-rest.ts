import type { RESTOptions } from "@discordjs/rest";
import { REST } from "discord.js";
import type { WorkPermit } from "../../domain/ports/work-permit.ts";
import type { Gateway } from "./gateway.ts";
import { isAnswer, steadyRest } from "./within-limits.ts";

type MakeRequest = RESTOptions["makeRequest"];

/**
 * A REST of its own for as long as the permit lasts: what is queued is not sent without it, and what is in flight when it
 * ends is aborted. Answers to interactions pass all the same, so that people read why.
 */
export function createPermittedRest(
  { rest, send, limits }: Pick<Gateway, "rest" | "send" | "limits">,
  token: string,
  permit: WorkPermit,
): REST {
  const steady = steadyRest(limits, permittedRequests(send, permit));
  const own = new REST({ ...rest.options, ...steady }).setToken(token);
  permit.over.addEventListener("abort", () => {
    own.clearHandlerSweeper();
    own.clearHashSweeper();
  });
  return own;
}

/** For the tests: one way of sending, asked for the permit right before it sends. */
export function permittedRequests(send: MakeRequest, permit: WorkPermit): MakeRequest {
  return async (url, init) => {
    if (isAnswer(url)) return await send(url, init);
    const why = permit.refusal();
    if (why !== undefined) throw new Error(why);
    const signal = init.signal ? AbortSignal.any([init.signal, permit.over]) : permit.over;
    return await send(url, { ...init, signal });
  };
}
