import type { Channel, Exchange, Message } from "./discord/types.ts";
import { answered } from "./moves.ts";
import type { Stage } from "./stage.ts";
import { messageLines } from "./terminal.ts";

/** What the steps of the tour share. */

/** A step's condition was not seen in the emulated Discord. */
export class NotSeen extends Error {}

/** How long a step waits for what it looks for. */
export const SETTLE_MS = 20_000;

/** What a step needs: the stage, and ways to show what people see. */
export interface Guide {
  readonly stage: Stage;
  say(text: string): void;
  show(message: Message): void;
  /** Waits for something in the emulated Discord; NotSeen when it does not come. */
  seen<T>(what: string, probe: () => T | undefined | false): Promise<T>;
}

export interface TourStep {
  readonly title: string;
  run(guide: Guide): Promise<void>;
}

export function textOf(message: Message): string {
  return messageLines(message, Date.now()).join("\n");
}

export function expect(condition: boolean, what: string): void {
  if (!condition) throw new NotSeen(what);
}

export async function finished(exchange: Exchange, pattern: RegExp): Promise<Message> {
  const done = await exchange.settled(
    ({ message, pending }) => !pending && message !== undefined && pattern.test(textOf(message)),
    SETTLE_MS,
  );
  return answered(done);
}

/** The newest message of a channel that says all of these. */
export function posted(stage: Stage, channel: Channel, ...parts: readonly string[]): Message | undefined {
  return stage.discord
    .messages(channel)
    .findLast((message) => parts.every((part) => textOf(message).includes(part)));
}
