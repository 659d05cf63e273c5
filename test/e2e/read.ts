import type { Exchange, Message, Person } from "../../src/sandbox/discord/types.ts";

/** Everything that a reader sees of a message, as one text. */
export function textOf({ content, embeds }: Pick<Message, "content" | "embeds">): string {
  const cards = embeds.flatMap(({ author, title, description, fields, footer }) => [
    author?.name,
    title,
    description,
    ...(fields ?? []).flatMap(({ name, value }) => [name, value]),
    footer?.text,
  ]);
  return [content, ...cards].filter((part) => part !== undefined && part !== "").join("\n");
}

export function labelsOf(message: Message): string[] {
  return message.components.flatMap((row) => row.components ?? []).flatMap(({ label }) => label ?? []);
}

/** The message that answers; an exchange without one fails the test. */
export function answerOf(exchange: Exchange): Message {
  const message = exchange.message ?? exchange.followUps.at(-1);
  if (message === undefined) throw new Error(`there is no answer (${exchange.kind})`);
  return message;
}

/** How long a test waits, by the real clock, for what never comes: a busy machine is slow. */
export const PATIENCE_MS = 180_000;

/** What is read of an exchange. */
type Settling = Pick<Exchange, "kind" | "text"> & {
  settled(
    predicate: (state: Pick<Exchange, "pending" | "text">) => boolean,
    withinMs: number,
  ): Promise<unknown>;
};

/**
 * Waits until the answer or its follow-ups match the pattern. What is still pending shows what stood there before the press:
 * the question's own words are no answer to it. Rejects with what they say when they never match.
 */
export async function reads(exchange: Settling, pattern: RegExp): Promise<string> {
  try {
    await exchange.settled(({ pending, text }) => !pending && pattern.test(text), PATIENCE_MS);
  } catch {
    throw new Error(`${pattern} was not read; the answer is (${exchange.kind}): ${exchange.text}`);
  }
  return exchange.text;
}

/** A press on a button of what a person was answered. */
export async function press(person: Person, on: Exchange | Message, label: string): Promise<Exchange> {
  const message = "followUps" in on ? answerOf(on) : on;
  return await person.click(message, label);
}
