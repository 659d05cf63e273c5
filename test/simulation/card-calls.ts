import type { MessageBody } from "../../src/domain/message.ts";
import { type SimServer, tokensIn } from "./world.ts";

/** What a reader sees of the calls on a card, by their tokens' true indexes. */
export interface CardCalls {
  /** One for each call that it shows. */
  readonly shown: readonly number[];
  /** Those that it shows with their answer. */
  readonly answered: readonly number[];
}

/** Reads the card of a person's calls as people do: whose it is, and line by line when they called. */
export function callsOnCard(server: SimServer, { cards }: MessageBody): CardCalls {
  const lines = (cards?.[0]?.description ?? "").split("\n");
  const [caller] = tokensIn(lines[0] ?? "");
  const shown: number[] = [];
  const answered: number[] = [];
  for (const [at, line] of lines.entries()) {
    const second = / called (?:again )?<t:(\d+):T>/.exec(line)?.[1];
    if (second === undefined) continue;
    const index = indexOf(server, caller?.index ?? -1, Number(second));
    shown.push(index);
    // Of the first call on a line of its own; the next line may as well be a further call with its answer.
    const isAnswered = line.includes(" called again ")
      ? line.includes("answered in the game")
      : lines[at + 1]?.startsWith("🎮 Answered in the game") === true;
    if (isAnswered) answered.push(index);
  }
  return { shown, answered };
}

export function isModCallCard({ cards }: MessageBody): boolean {
  return cards?.[0]?.title?.includes("Moderator call") === true;
}

function indexOf(server: SimServer, who: number, atS: number): number {
  const { modCalls } = server.logs;
  const found = modCalls.atS.findIndex((second, index) => second === atS && modCalls.who[index] === who);
  const token = modCalls.token[found];
  if (token === undefined)
    throw new Error(`a call of ${who} at ${atS} on server ${server.index}, which never was`);
  return token;
}
