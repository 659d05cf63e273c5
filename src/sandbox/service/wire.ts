/** One request as the service sees it. `path` carries the query. */
export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** The client's address; 127.0.0.1 when absent. */
  readonly address?: string | undefined;
  /** When the client wrote its first byte; now when absent. Lets a simulation have latency. */
  readonly sentAtMs?: number | undefined;
  /** When the client will be able to read the answer; now when absent. A 429 binds from then on. */
  readonly readableAtMs?: number | undefined;
}

/** One answer. Header names are lower case; a header that is sent twice has both values, with ", " between. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A header by its lower-case name, however the client spelled it. */
export function headerOf(request: ServiceRequest, name: string): string | undefined {
  const direct = request.headers[name];
  if (direct !== undefined) return direct;
  for (const [key, value] of Object.entries(request.headers)) if (key.toLowerCase() === name) return value;
  return undefined;
}

/** Whether a path is the command route, which has a bucket of its own (spec: Limits 3). */
export function isCommandPath(method: string, path: string): boolean {
  return method === "POST" && pathOf(path) === "/v2/server/command";
}

/** The path without its query. */
export function pathOf(path: string): string {
  const mark = path.indexOf("?");
  return mark < 0 ? path : path.slice(0, mark);
}
