import type { ServerKey } from "../../domain/server-key.ts";
import type { Exchange } from "../limits/in-flight.ts";
import type { WireRequest } from "./transport.ts";

export interface WireParts {
  readonly globalKey: ServerKey | undefined;
  readonly isAlone: boolean;
  readonly onStart: () => void;
  readonly onHead: WireRequest["onHead"];
}

/** The only place where keys are opened: what is returned is written and forgotten. */
export function wireRequest(
  exchange: Exchange,
  { globalKey, isAlone, onStart, onHead }: WireParts,
): WireRequest {
  const headers: Record<string, string> = {
    "server-key": exchange.key.reveal(),
    accept: "application/json",
  };
  if (globalKey !== undefined) headers.authorization = globalKey.reveal();
  if (exchange.body !== undefined) headers["content-type"] = "application/json";
  const method = exchange.route === "command" ? "POST" : "GET";
  return { method, path: exchange.path, headers, body: exchange.body, isAlone, onStart, onHead };
}
