import { DefaultRestOptions, type RESTOptions } from "@discordjs/rest";

type MakeRequest = RESTOptions["makeRequest"];

/**
 * @discordjs/rest's own way of sending, with forms already encoded. npm's undici 8 (api/ imports it) makes itself
 * the dispatcher of every undici in the process, the one inside @discordjs/rest included, and takes no FormData
 * but its own: every message with a file would fail before a byte is sent. Bytes are bytes to all of them.
 */
export const makeRequest: MakeRequest = async (url, init) => {
  if (!(init.body instanceof FormData)) return DefaultRestOptions.makeRequest(url, init);
  const encoded = new Response(init.body);
  const body = new Uint8Array(await encoded.arrayBuffer());
  const headers = new Headers(
    [...Object.entries(Object(init.headers))].map(([name, value]) => [name, String(value)]),
  );
  headers.set("content-type", encoded.headers.get("content-type") ?? "");
  return DefaultRestOptions.makeRequest(url, { ...init, body, headers: Object.fromEntries(headers) });
};
