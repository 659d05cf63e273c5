import { defineAction, defineCommand, defineEntry, type Reply } from "../src/discord/command.ts";
import { alertListCard, alertText, refusedText } from "../src/discord/render/alert-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { channelMention, md } from "../src/domain/escaped.ts";
import { Failure, SinkRefusal } from "../src/domain/failure.ts";
import { type AddArgs, addAlert, addOptions, completeAdd, parseAdd, testButton } from "./alert-add.ts";
import { alertEntry, recordAlertEvent } from "./alert-choice.ts";

async function testAlert(guildId: string, alertId: string, { alerts }: Services): Promise<Reply> {
  const alert = (await alerts.list(guildId)).find(({ id }) => id === alertId);
  if (alert === undefined) throw new Failure("bad-command", "There is no such alert any more.");
  const channel = channelMention(alert.channelId);
  try {
    await alerts.test(guildId, alertId);
  } catch (error) {
    if (!(error instanceof SinkRefusal)) throw error;
    return {
      content: md`⚠ The test message did not arrive in ${channel}: ${refusedText(error.reason)}`,
      rows: [[testButton(alertId)]],
    };
  }
  return { content: md`✅ A test message stands in ${channel}.` };
}

export const alert = defineCommand({
  name: "alert",
  description: "Be told of kill sprees, bursts of punishments, unanswered calls and more",
  manageGuild: true,
  subcommands: {
    add: defineEntry<AddArgs>({
      description: "Be told in a channel when something is too much, from now on",
      first: "ephemeral",
      options: addOptions,
      parse: parseAdd,
      autocomplete: completeAdd,
      execute: ({ actor, args }, services) => addAlert(actor, args, services),
    }),
    list: defineEntry<undefined>({
      description: "All alerts, where they post and whether their channels take them",
      first: "ephemeral",
      parse: () => undefined,
      async execute({ actor }, { alerts, bindings }) {
        const [all, linked] = [await alerts.list(actor.guildId), await bindings.list(actor.guildId)];
        return { cards: [alertListCard(all, linked, (rule) => alerts.status(rule).refused)] };
      },
    }),
    remove: alertEntry("Stop an alert for good", async (actor, found, services) => {
      await services.alerts.remove(actor.guildId, found.id);
      const said = alertText(found, await services.bindings.list(actor.guildId));
      await recordAlertEvent(services, actor, { action: "alert-remove", text: said });
      return { content: md`🗑 Removed: ${said}.` };
    }),
    test: alertEntry("Post a test message into an alert's channel", (actor, found, services) =>
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
