import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from "discord.js";
import { type Choice, defineEntry, type Reply, type Typing } from "../src/discord/command.ts";
import { alertChoice } from "../src/discord/render/alert-cards.ts";
import { cut } from "../src/discord/render/escape.ts";
import type { Services } from "../src/discord/services.ts";
import type { AlertRule } from "../src/domain/alert.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import { type AuditWhat, recordEvent } from "./audit-event.ts";
import { choicesOf, chosenOf } from "./numbered-list.ts";

/** How a sub-command of `/alert` names one alert: by a choice, by its number in the list, or by its id. */

export const NO_SUCH_ALERT = "That alert no longer exists.";

const LONGEST_EVENT_TEXT = 400;

export async function completeAlert(
  { actor, typed }: Typing,
  services: Services,
): Promise<readonly Choice[]> {
  const bindings = await services.bindings.list(actor.guildId);
  const all = await services.alerts.list(actor.guildId);
  return choicesOf(all, typed, (rule, number) => alertChoice(rule, number, bindings));
}

export const alertOption: APIApplicationCommandBasicOption = {
  type: ApplicationCommandOptionType.String,
  name: "alert",
  description: "Which alert, by its number in /alert list",
  required: true,
  autocomplete: true,
};

/** A sub-command about one alert. */
export function alertEntry(
  description: string,
  execute: (actor: Actor, alert: AlertRule, services: Services) => Promise<Reply>,
) {
  return defineEntry<string>({
    description,
    first: "ephemeral",
    options: [alertOption],
    parse: (options) => options.string("alert", true).trim(),
    autocomplete: completeAlert,
    async execute({ actor, args }, services) {
      return await execute(actor, await chosenAlert(services, actor, args), services);
    },
  });
}

/** @throws Failure "bad-command" where there is no such alert. */
export async function chosenAlert(
  { alerts }: Services,
  { guildId }: Actor,
  typed: string,
): Promise<AlertRule> {
  const alert = chosenOf(await alerts.list(guildId), typed);
  if (alert === undefined) throw new Failure("bad-command", "Unknown alert. Choose one from the list.");
  return alert;
}

/** An alert with many teams left out reads as a long text; the audit keeps its beginning. */
export function recordAlertEvent(
  services: Services,
  actor: Actor,
  { action, text }: AuditWhat,
): Promise<void> {
  return recordEvent(services, actor, { action, text: cut(text, LONGEST_EVENT_TEXT) });
}
