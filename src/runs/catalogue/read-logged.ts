import { Failure } from "../../domain/failure.ts";
import type { ParsedCommand } from "../../domain/run.ts";
import { parseCommand } from "./parse-command.ts";

/** What a command text of the game's log means: nobody can correct it any more, so much is overlooked. */
export function readLogged(text: string): ParsedCommand | undefined {
  const plain = withoutFirstComma(
    text
      .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
      .replace(/[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu, "")
      .replace(/(?: ?,)+/g, ","),
  )
    .replace(/,$/, "")
    .trim();
  try {
    return parseCommand(plain);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** A comma right after the verb says nothing. Read without a pattern: one would try each colon of a line of colons. */
function withoutFirstComma(text: string): string {
  const end = text.indexOf(" ");
  const isVerb = text.startsWith(":") && end > 1;
  return isVerb && text[end + 1] === "," ? text.slice(0, end + 1) + text.slice(end + 2) : text;
}
