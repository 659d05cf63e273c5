import { Service, type ServiceOptions, type ServiceResponse } from "../../src/sandbox/service/service.ts";
import { OPTIONAL_LISTS } from "../../src/sandbox/service/status.ts";

/** The key that every rig's service knows. */
export const KEY = "FirstPart-SecondPart";

/** All nine optional lists asked for. */
export const ALL_LISTS = `/v2/server?${OPTIONAL_LISTS.map((name) => `${name}=true`).join("&")}`;

/** How one request of a rig differs from the ordinary one. */
export interface Sent {
  readonly key?: string | null;
  readonly authorization?: string;
  readonly address?: string;
  readonly method?: string;
  readonly sentAtMs?: number;
  readonly readableAtMs?: number;
}

/** The emulated service on a clock that the test moves. */
export interface Rig {
  readonly service: Service;
  readonly clock: { ms: number };
  /** GETs a path. */
  get(path?: string, sent?: Sent): ServiceResponse;
  /** POSTs a command text; or, as an object or string with `raw`, any body. */
  command(text: string, sent?: Sent): ServiceResponse;
  post(body: string, contentType?: string, sent?: Sent): ServiceResponse;
}

/** Makes a rig. Limits are wide unless the test sets them, so that only the tests of limits meet them. */
export function makeRig(options: Partial<ServiceOptions> = {}): Rig {
  const clock = { ms: Date.UTC(2026, 2, 1, 12) };
  const wide = { limit: 1_000_000, windowMs: 1_000 };
  const service = new Service({
    nowMs: () => clock.ms,
    seed: 7,
    keys: [KEY],
    ...options,
    limits: { global: { ...wide }, application: { ...wide }, command: { ...wide }, ...options.limits },
  });
  const send = (method: string, path: string, body: string | undefined, contentType: string, sent: Sent) => {
    const headers: Record<string, string> = { "content-type": contentType };
    if (sent.key !== null) headers["server-key"] = sent.key ?? KEY;
    if (sent.authorization !== undefined) headers.authorization = sent.authorization;
    return service.handle({
      method: sent.method ?? method,
      path,
      headers,
      body,
      address: sent.address,
      sentAtMs: sent.sentAtMs,
      readableAtMs: sent.readableAtMs,
    });
  };
  const post = (body: string, contentType = "application/json", sent: Sent = {}): ServiceResponse =>
    send("POST", "/v2/server/command", body, contentType, sent);
  return {
    service,
    clock,
    get: (path = "/v2/server", sent = {}) => send("GET", path, undefined, "application/json", sent),
    command: (text, sent = {}) => post(JSON.stringify({ command: text }), "application/json", sent),
    post,
  };
}

/** A body read as JSON, for tests that look into it. */
export function bodyOf(response: ServiceResponse): Record<string, unknown> {
  const body: unknown = JSON.parse(response.body);
  if (!isRow(body)) throw new TypeError(`not an object: ${response.body.slice(0, 80)}`);
  return body;
}

/** A list of objects in a body. */
export function rowsOf(body: Record<string, unknown>, name: string): Record<string, unknown>[] {
  const list = body[name];
  if (!Array.isArray(list) || !list.every(isRow)) throw new TypeError(`${name} is not a list of objects`);
  return list;
}

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
