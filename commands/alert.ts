import { defineAction, defineCommand, defineEntry, type Reply } from "../src/discord/command.ts";
import { alertListCard, alertText } from "../src/discord/render/alert-cards.ts";
import { BY_ALERT_EDIT, refusedText } from "../src/discord/render/refused-text.ts";
import type { Services } from "../src/discord/services.ts";
import type { AlertRule } from "../src/domain/alert.ts";
import { channelMention, md } from "../src/domain/escaped.ts";
import { Failure, SinkRefusal } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import { type AddArgs, addAlert, addOptions, completeAdd, parseAdd, testButton } from "./alert-add.ts";
import { alertEntry, NO_SUCH_ALERT, recordAlertEvent } from "./alert-choice.ts";
import { edit } from "./alert-edit.ts";
import { channelAccessOf } from "./setup-guide.ts";

async function testAlert(guildId: string, alertId: string, { alerts }: Services): Promise<Reply> {
  const alert = (await alerts.list(guildId)).find(({ id }) => id === alertId);
  if (alert === undefined) throw new Failure("bad-command", NO_SUCH_ALERT);
  const channel = channelMention(alert.channelId);
  try {
    await alerts.test(guildId, alertId);
  } catch (error) {
    if (!(error instanceof SinkRefusal)) throw error;
    return {
      content: md`⚠ The test could not be posted in ${channel}: ${refusedText(error.reason, BY_ALERT_EDIT)}`,
      rows: [[testButton(alertId)]],
    };
  }
  return { content: md`✅ Test posted in ${channel}.` };
}

async function listAlerts({ guildId }: Actor, services: Services): Promise<Reply> {
  const { alerts, bindings } = services;
  const all = await alerts.list(guildId);
  const channelIds = all.map(({ channelId }) => channelId);
  const accesses = await channelAccessOf(services, guildId, channelIds);
  const accessOf = (channelId: string) => accesses.get(channelId) ?? { kind: "unknown" as const };
  const linked = await bindings.list(guildId);
  const refusedOf = (rule: AlertRule) => alerts.status(rule).refused;
  return { cards: [alertListCard(all, linked, { refusedOf, accessOf })] };
}

export const alert = defineCommand({
  name: "alert",
  description: "Alerts for kill sprees, unanswered calls, bursts of punishments and more",
  manageGuild: true,
  subcommands: {
    add: defineEntry<AddArgs>({
      description: "Add an alert to a channel",
      first: "ephemeral",
      options: addOptions,
      parse: parseAdd,
      autocomplete: completeAdd,
      execute: ({ actor, args }, services) => addAlert(actor, args, services),
    }),
    edit,
    list: defineEntry<undefined>({
      description: "All alerts, where they post and whether that works",
      first: "ephemeral",
      parse: () => undefined,
      execute: ({ actor }, services) => listAlerts(actor, services),
    }),
    remove: alertEntry("Remove an alert", async (actor, found, services) => {
      await services.alerts.remove(actor.guildId, found.id);
      const said = alertText(found, await services.bindings.list(actor.guildId));
      await recordAlertEvent(services, actor, { action: "alert-remove", text: said });
      return { content: md`🗑 Removed: ${said}.` };
    }),
    test: alertEntry("Post a test in an alert's channel", (actor, found, services) =>
      testAlert(actor.guildId, found.id, services),
    ),
  },
  actions: {
    "alert-test": defineAction({
      first: "ephemeral",
      manageGuild: true,
      execute: ({ actor, argument }, services) => testAlert(actor.guildId, argument, services),
    }),
  },
});
