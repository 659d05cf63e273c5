import type { Clock } from "../../domain/ports/clock.ts";
import type { Log } from "../../log.ts";
import type { Choice } from "../command.ts";
import { cut, plainText } from "../render/escape.ts";
import type { Services } from "../services.ts";
import type { CommandRegistry } from "./command-registry.ts";
import type { IncomingTyping } from "./incoming.ts";
import type { ServerQuestions } from "./server-questions.ts";

/** Discord waits 3 s for choices; the rest is for the way there. */
const CHOICES_WITHIN_MS = 2_000;
const MOST_CHOICES = 25;
const LONGEST_CHOICE_CHARACTERS = 100;

export interface AutocompletePorts {
  readonly registry: CommandRegistry;
  readonly services: Services;
  readonly questions: Pick<ServerQuestions, "whileTyping">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Offers choices while somebody types an option; none where the command fails or takes too long. Never rejects. */
export async function autocomplete(ports: AutocompletePorts, incoming: IncomingTyping): Promise<void> {
  const { clock, log } = ports;
  const answered = new AbortController();
  let choices: readonly Choice[] = [];
  try {
    const late = clock.sleep(CHOICES_WITHIN_MS, answered.signal).then(
      () => [],
      () => [],
    );
    choices = await Promise.race([choicesFor(ports, incoming), late]);
  } catch (error) {
    log.warn({ err: error, command: incoming.command }, "no choices could be given");
  } finally {
    answered.abort();
  }

  try {
    await incoming.answers.choices(fitting(choices));
  } catch (error) {
    // Each keystroke asks again, so a refusal harms nobody.
    log.debug({ err: error }, "choices were not taken");
  }
}

async function choicesFor(
  { registry, services, questions }: AutocompletePorts,
  { command, path, actor, option, typed, options }: IncomingTyping,
): Promise<readonly Choice[]> {
  const found = registry.entry(command, path);
  // A Discord server may show the command to other roles: they would read names that its answer keeps from them.
  if (found === undefined || (found.manageGuild && !actor.manageGuild)) return [];
  const { entry } = found;
  if (entry.autocomplete === undefined) return [];
  const meant = option === "server" ? options : await questions.whileTyping(entry, options, actor);
  return await entry.autocomplete({ actor, option, typed, options: meant }, services);
}

/**
 * The choices as Discord takes them. A value that is too long is left out, because a cut one would be another value.
 * Names may hold outside text, so each becomes one plain line.
 */
function fitting(choices: readonly Choice[]): readonly Choice[] {
  return choices
    .map(({ name, value }) => ({ name: cut(plainText(name), LONGEST_CHOICE_CHARACTERS), value }))
    .filter(({ name, value }) => name !== "" && value !== "" && value.length <= LONGEST_CHOICE_CHARACTERS)
    .slice(0, MOST_CHOICES);
}
