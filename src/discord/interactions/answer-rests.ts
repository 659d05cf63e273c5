import { REST } from "discord.js";

/** The ways on which answers to interactions go. Neither waits behind what the bot posts. */
export interface AnswerRests {
  /** For everything after the first answer. */
  readonly later: REST;
  /** For first answers. It repeats nothing by itself, so that we know a repeat from a first try. */
  readonly callbacks: REST;
}

/** Discord waits 3 s for a first answer; one that takes longer is lost, or its confirmation is. */
export const CALLBACK_MS = 3_000;

/**
 * Made from the settings of the REST that posts. Discord does not count answers among the requests a second that it
 * allows a bot; @discordjs/rest does, and where many posts go out a person would wait seconds for what is ready.
 */
export function createAnswerRests(rest: REST): AnswerRests & { close(): void } {
  const options = { ...rest.options, globalRequestsPerSecond: Number.POSITIVE_INFINITY };
  const later = new REST(options);
  const callbacks = new REST({
    ...options,
    retries: 0,
    timeout: CALLBACK_MS,
    // All callbacks share one handler and one hash, so there is nothing to sweep.
    handlerSweepInterval: 0,
    hashSweepInterval: 0,
  });
  return {
    later,
    callbacks,
    /** Nothing is swept any more; what is on its way still arrives. */
    close() {
      later.clearHandlerSweeper();
      later.clearHashSweeper();
    },
  };
}
