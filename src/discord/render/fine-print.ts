import { type Escaped, md } from "../../domain/escaped.ts";
import { cut, escapeMarkdown, inlineCode } from "./escape.ts";

/** The small lines at the end of a card of an error. Pure. */

/** "You are temporarily blocked ...": the service speaks to whoever programmed Marshal, and the title has said it. */
export function isToProgrammer(message: string): boolean {
  return /^You\b/.test(message);
}

/** The service's own sentence of a refusal: it speaks to whoever programmed Marshal. */
export function serviceSays(message: string): readonly Escaped[] {
  return message === "" ? [] : [md`-# The game service said: ${escapeMarkdown(cut(message, 800))}`];
}

/** On a card in place of what people wrote. */
export const WORDS_LEFT_OUT = md`-# Text left out: Discord refuses it.`;

/** The last line of an error, and of outcomes that somebody may ask about. The service's own id shows when it is tapped. */
export function referenceLine(reference: string, commandId?: string): Escaped {
  const id = commandId === undefined ? "" : md` · Command ID ||${inlineCode(commandId)}||`;
  return md`-# Reference ${inlineCode(reference)}${id}`;
}

/** The end of a wait that may be days ahead: a clock time alone names no day. */
export function waitEnd(atMs: number): Escaped {
  const atS = Math.ceil(atMs / 1_000);
  return md`<t:${atS}:t> (<t:${atS}:R>)`;
}

/** The same to the second, for what is most often a matter of seconds. */
export function waitEndSecond(atMs: number): Escaped {
  const atS = Math.ceil(atMs / 1_000);
  return md`<t:${atS}:T> (<t:${atS}:R>)`;
}

export function tryAfter(atMs: number, what: "Try" | "Run it" = "Try"): Escaped {
  return md`${what} again after ${waitEndSecond(atMs)}.`;
}

/** Where to try again is no advice. Whether the service asked for the wait or Marshal took it by itself, it is true. */
export function noneBefore(atMs: number): Escaped {
  return md`No command can be sent before ${waitEndSecond(atMs)}.`;
}
