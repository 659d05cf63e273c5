import { isIP } from "node:net";
import { withoutPassword } from "./shown-value.ts";

/** Loopback, private and link-local addresses, and those behind which providers put many customers. */
const OWN_NETWORK =
  /^(0\.|10\.|127\.|169\.254\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1?$|f[cd]|fe[89ab])/i;

/** Reads addresses with commas between; `why` not, in words: owners type them, so none may be one that nobody sees. */
export function readAddresses(value: string): readonly string[] | { readonly why: string } {
  const named = value.split(",").map((one) => one.trim());
  const bad = named.find((one) => isIP(one) === 0);
  if (bad !== undefined) return { why: `"${withoutPassword(bad)}" is no address` };
  const own = named.find((one) => OWN_NETWORK.test(one));
  if (own !== undefined) return { why: `${own} is only seen in your own network, not by the service` };
  return [...new Set(named)];
}
