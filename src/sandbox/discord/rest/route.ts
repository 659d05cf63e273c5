import type { Interactions } from "../interactions.ts";
import type { UploadedFile } from "../validate-message.ts";
import type { World } from "../world.ts";

/** What the handlers of requests work on. */
export interface Api {
  readonly world: World;
  readonly interactions: Interactions;
  readonly gatewayUrl: () => string;
}

export interface ApiRequest {
  /** The values of the `:parts` of the pattern, in order, decoded. */
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly files: readonly UploadedFile[];
}

export interface Answer {
  readonly status: number;
  /** JSON; undefined for none. */
  readonly body?: unknown;
}

export interface Route {
  readonly method: string;
  /** Such as "/channels/:id/messages/:id". */
  readonly pattern: string;
  /** `token`: the path itself carries the right to act; no Authorization is looked at. */
  readonly access: "bot" | "token";
  handle(api: Api, request: ApiRequest): Answer;
}

export function route(
  method: string,
  pattern: string,
  handle: Route["handle"],
  access: Route["access"] = "bot",
): Route {
  return { method, pattern, access, handle };
}

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

export const done: Answer = { status: 204 };

/** The n-th parameter of the path. */
export function param(request: ApiRequest, index: number): string {
  return request.params[index] ?? "";
}

/** The values of a pattern's parts, or undefined when the path is another. */
export function match(pattern: string, path: string): readonly string[] | undefined {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return undefined;
  const params: string[] = [];
  for (const [index, part] of wanted.entries()) {
    const value = decode(given[index] ?? "");
    if (part.startsWith(":")) {
      if (value === "") return undefined;
      params.push(value);
    } else if (part !== value) return undefined;
  }
  return params;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
