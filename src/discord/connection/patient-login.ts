import type { RESTOptions } from "@discordjs/rest";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Log } from "../../log.ts";

type MakeRequest = RESTOptions["makeRequest"];

export interface PatienceOptions {
  /** Sends one request. */
  readonly send: MakeRequest;
  /** Discord's `/gateway/bot`, with its version: a login asks there first. */
  readonly gatewayUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when nobody wants to log in any more. */
  readonly signal: AbortSignal;
  /** Called once, where the first try finds Discord away. */
  onAway(): void;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** Time limit for one try. */
const TRY_MS = 15_000;

/**
 * A way of sending on which the first question of a login waits until Discord answers it: discord.js gives up after
 * three tries and cannot log in with that client again. Whatever Discord itself answers is handed on, so a wrong token
 * still ends the login at once.
 */
export function patientLogin(options: PatienceOptions): MakeRequest {
  const { send, gatewayUrl, clock, log, signal, onAway } = options;

  async function answerOf(url: string, init: Parameters<MakeRequest>[1]) {
    try {
      // The signal that came with it is for one try of @discordjs/rest.
      const answer = await send(url, {
        ...init,
        signal: AbortSignal.any([signal, AbortSignal.timeout(TRY_MS)]),
      });
      if (!isAway(answer)) return { answer };
      await answer.arrayBuffer();
      return { why: `it answers ${answer.status}` };
    } catch (error) {
      signal.throwIfAborted();
      return { why: reasonOf(error) };
    }
  }

  return async (url, init) => {
    if (url !== gatewayUrl) return await send(url, init);

    for (let tries = 1; ; tries++) {
      const { answer, why } = await answerOf(url, init);
      if (answer !== undefined) {
        if (tries > 1) log.info({ tries }, "Discord answers again");
        return answer;
      }
      if (tries === 1) {
        log.warn({}, `Discord cannot be reached (${why}). Marshal keeps trying`);
        onAway();
      }
      await clock.sleep(Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS), signal);
    }
  };
}

/** Not Discord's own word: it is down, or something between answers with a page. */
function isAway({ status, ok, headers }: Awaited<ReturnType<MakeRequest>>): boolean {
  return status >= 500 || (!ok && !(headers.get("content-type") ?? "").includes("json"));
}

/** What an error says; that of a broken connection says it in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : error.message;
}
