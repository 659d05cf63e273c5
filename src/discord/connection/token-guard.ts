import type { RESTOptions } from "@discordjs/rest";

type MakeRequest = RESTOptions["makeRequest"];

export interface TokenGuardOptions {
  /** Sends one request. */
  readonly send: MakeRequest;
  /** Discord's `/users/@me`, with its version: a token that may read it is good. */
  readonly whoAmIUrl: string;
  /** Discord has said twice that it does not take the token. */
  onRefused(): void;
  /** A request got 401 though the token is good. */
  onWronglyRefused(): void;
}

/**
 * A way of sending that does not believe one 401: @discordjs/rest forgets its token at the first, and then refuses
 * every request without sending it. The token is checked against Discord once. Good: the request is sent again as it
 * is, a message under its nonce. Not good: the 401 is handed on, and `onRefused` is called. Discord does not say: 503,
 * which @discordjs/rest repeats.
 */
export function withTokenGuard({ send, whoAmIUrl, ...on }: TokenGuardOptions): MakeRequest {
  let check: Promise<TokenState> | undefined;

  /** One check for all the requests that are refused at the same moment. */
  function checkToken(authorization: string): Promise<TokenState> {
    check ??= askDiscord(send, whoAmIUrl, authorization).finally(() => {
      check = undefined;
    });
    return check;
  }

  return async (url, init) => {
    const answer = await send(url, init);
    const authorization = authorizationOf(init.headers);
    if (answer.status !== 401 || authorization === undefined) return answer;

    const state = await checkToken(authorization);
    if (state === "bad") {
      on.onRefused();
      return answer;
    }

    // A body that is not read keeps its connection.
    await answer.arrayBuffer();
    if (state === "unknown") return answerOf(503, "Service Unavailable");
    on.onWronglyRefused();
    const second = await send(url, init);
    // Refused again with a good token: the request itself is forbidden. A 401 would make rest drop the token.
    if (second.status !== 401) return second;
    await second.arrayBuffer();
    return answerOf(403, "Forbidden");
  };
}

type TokenState = "good" | "bad" | "unknown";

async function askDiscord(send: MakeRequest, url: string, authorization: string): Promise<TokenState> {
  try {
    // A signal of its own: the request that was refused may be given up while others wait for this.
    const signal = AbortSignal.timeout(CHECK_MS);
    const answer = await send(url, { method: "GET", headers: { authorization }, signal });
    await answer.arrayBuffer();
    if (answer.status === 401) return "bad";
    return answer.ok ? "good" : "unknown";
  } catch {
    return "unknown";
  }
}

const CHECK_MS = 10_000;

/** The bot's own authorization; requests with an interaction's token have none. */
function authorizationOf(headers: unknown): string | undefined {
  for (const [name, value] of Object.entries(Object(headers))) {
    if (name.toLowerCase() === "authorization" && typeof value === "string") return value;
  }
  return undefined;
}

function answerOf(status: number, statusText: string): Response {
  return Response.json({ message: `${status}: ${statusText}`, code: 0 }, { status, statusText });
}
