import { Buffer } from "node:buffer";
import type { ServiceResponse } from "./wire.ts";

/** How an answer repeats the key that it was asked with. */
export type KeyEcho = "none" | "plain" | "halves" | "base64" | "url" | "hex" | "escaped";

/** The answer with the caller's key in its words: message, commandId, the server's name, what players ran. */
export function echoKey(response: ServiceResponse, key: string, echo: KeyEcho): ServiceResponse {
  if (echo === "none" || key === "") return response;
  let body: unknown;
  try {
    body = JSON.parse(response.body);
  } catch {
    return { ...response, body: `${response.body}${formOf(key, echo)}` };
  }
  if (typeof body !== "object" || body === null) return response;
  const form = formOf(key, echo);
  const fields: Readonly<Record<string, unknown>> = { ...body };
  const said: Record<string, unknown> = { ...fields };
  for (const name of ["message", "error", "Name"])
    if (typeof fields[name] === "string") said[name] = `${fields[name]} for ${form}`;
  if ("commandId" in fields) said.commandId = form;
  if (Array.isArray(fields.CommandLogs))
    said.CommandLogs = fields.CommandLogs.map((row: object) => ({ ...row, Command: `:log ${form}` }));
  const text = JSON.stringify(said);
  return { ...response, body: echo === "escaped" ? text.replaceAll(key, escaped(key)) : text };
}

function formOf(key: string, echo: KeyEcho): string {
  const middle = Math.ceil(key.length / 2);
  switch (echo) {
    case "halves":
      return `${key.slice(0, middle)} ... ${key.slice(middle)}`;
    case "base64":
      return Buffer.from(`server-key: ${key}`).toString("base64");
    case "url":
      return [...Buffer.from(key)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
    case "hex":
      return Buffer.from(key).toString("hex").toUpperCase();
    default:
      return key;
  }
}

/** The same JSON string, written with an escape for each letter. */
function escaped(key: string): string {
  return [...key].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}
