import type { IncomingHttpHeaders } from "node:http";

/**
 * Whether a request comes from the page itself. A page of another site may make this browser speak to the loopback
 * (its Origin tells), and a name of another site may be made to point here (its Host tells).
 */
export function isOwnRequest(headers: IncomingHttpHeaders, port: number, needsOrigin: boolean): boolean {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!hosts.includes(headers.host ?? "")) return false;
  const { origin } = headers;
  if (origin === undefined) return !needsOrigin;
  return hosts.some((host) => origin === `http://${host}`);
}

/**
 * Nothing from outside, no script but the bundle, no HTML made of texts: `trusted-types` makes the browser itself
 * refuse it to all but Lit's templates. Style attributes are allowed since the components set colours by them.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types lit-html",
].join("; ");

export const safetyHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": contentSecurityPolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};
