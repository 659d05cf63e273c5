import type { Press, Reply } from "../src/discord/command.ts";
import { alertOffer, alertText } from "../src/discord/render/alert-cards.ts";
import { escapeMarkdown } from "../src/discord/render/escape.ts";
import { BY_FEED_EDIT, refusedText } from "../src/discord/render/refused-text.ts";
import { missingAlerts, movedFrom } from "../src/discord/render/setup-guide-posts.ts";
import type { Services } from "../src/discord/services.ts";
import type { AlertRule } from "../src/domain/alert.ts";
import { alertKind } from "../src/domain/alert-kinds.ts";
import { channelMention, type Escaped, joined, md } from "../src/domain/escaped.ts";
import { Failure, SinkRefusal } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import { addNewAlert } from "./alert-add.ts";
import { recordAlertEvent } from "./alert-choice.ts";
import { addPanel, removePanel } from "./server-panel.ts";
import { setCases } from "./setup-case-channels.ts";
import { feedsOf, type GuidePosition, guideAfter, guideAt } from "./setup-guide.ts";
import { linked } from "./setup-guide-presses.ts";
import { setNotices } from "./setup-settings.ts";
import { setWeekly, turnWeeklyOff } from "./stats-weekly.ts";

/** The steps of the guided set-up that give something a channel, and the test of what is posted. */

/** `guide-notices:BINDING` */
export async function chooseNotices({ actor, argument, values }: Press, services: Services): Promise<Reply> {
  await setNotices(services, actor, values[0]);
  return await guideAt(services, actor, { step: "notices", bindingId: argument });
}

/** `guide-cases:BINDING` */
export async function chooseCases({ actor, argument, values }: Press, services: Services): Promise<Reply> {
  await setCases(services, actor, values[0]);
  return await guideAt(services, actor, { step: "cases", bindingId: argument });
}

/**
 * `guide-alerts:BINDING`: what is missing of the three comes into that channel. Where none is, the alerts of the channel
 * that the step shows as chosen move there.
 */
export async function chooseAlerts({ actor, argument, values }: Press, services: Services): Promise<Reply> {
  const binding = await linked(services, actor, argument);
  const alerts = (await services.alerts.list(actor.guildId)).filter(
    ({ bindingId }) => bindingId === binding.id,
  );
  const at = { step: "alerts", bindingId: argument } as const;
  const [channelId] = values;
  if (channelId === undefined) return await guideAt(services, actor, at);
  const fromId = movedFrom({ alerts });
  if (fromId !== undefined) {
    const toMove = alerts.filter((alert) => alert.channelId === fromId && fromId !== channelId);
    const notes: Escaped[] = [];
    for (const alert of toMove) notes.push(...(await moveAlert(services, actor, { alert, channelId })));
    return await guideAt(services, actor, {
      ...at,
      ...(notes.length === 0 ? {} : { note: joined(notes, "\n") }),
    });
  }
  for (const kind of missingAlerts({ alerts })) {
    const alert = { ...alertKind(kind).defaults, bindingId: binding.id, kind, channelId };
    await addNewAlert(actor, alert, services);
  }
  return await guideAt(services, actor, at);
}

/** What is to be said of it: nothing where it moved, as the step shows that. */
async function moveAlert(
  services: Services,
  actor: Actor,
  { alert, channelId }: { readonly alert: AlertRule; readonly channelId: string },
): Promise<readonly Escaped[]> {
  const { guildId } = actor;
  try {
    const moved = await services.alerts.edit(guildId, alert.id, (before) => ({ ...before, channelId }));
    if (moved === undefined) return [];
    const text = alertText(moved, await services.bindings.list(guildId));
    await recordAlertEvent(services, actor, { action: "alert-edit", text });
    return [];
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "bad-command") throw error;
    // That channel has the same alert already.
    return [md`⚠ ${alertOffer(alert.kind)}: ${escapeMarkdown(error.message)}`];
  }
}

/** `guide-panel:BINDING`: exactly the chosen channels have one. A new one first: where it is refused, the old one goes on. */
export async function choosePanel(
  { actor, argument, values, signal }: Press,
  services: Services,
): Promise<Reply> {
  const binding = await linked(services, actor, argument);
  const panelsNow = () => {
    const all = services.panels.list(actor.guildId).filter(({ bindingId }) => bindingId === binding.id);
    return all.map(({ channelId }) => channelId);
  };
  return await guideAfter(services, actor, async () => {
    const before = panelsNow();
    const notes: Escaped[] = [];
    for (const channelId of values.filter((id) => !before.includes(id)))
      notes.push(await addPanel({ actor, binding, channelId, signal }, services));
    const after = panelsNow();
    const isRefused = values.some((id) => !after.includes(id));
    for (const channelId of isRefused ? [] : before.filter((id) => !values.includes(id)))
      notes.push(await removePanel({ actor, binding, channelId }, services));
    return { step: "panel", bindingId: argument, note: joined(notes, "\n") };
  });
}

/** `guide-weekly:BINDING` */
export async function chooseWeekly({ actor, argument, values }: Press, services: Services): Promise<Reply> {
  const [channelId] = values;
  const note =
    channelId === undefined
      ? await turnWeeklyOff(services, actor)
      : await setWeekly(services, actor, channelId);
  return await guideAt(services, actor, { step: "weekly", bindingId: argument, note });
}

/** `guide-test:BINDING`: posts one test message for each log and alert, and shows which arrived. */
export async function postTests({ actor, argument }: Press, services: Services): Promise<Reply> {
  return await guideAfter(services, actor, () => tested(actor, argument, services));
}

async function tested(actor: Actor, argument: string, services: Services): Promise<GuidePosition> {
  const { id: bindingId, ...binding } = await linked(services, actor, argument);
  const { guildId } = actor;
  const alerts = (await services.alerts.list(guildId)).filter((alert) => alert.bindingId === bindingId);
  const lines: Escaped[] = [];
  for (const { id, channelId } of await feedsOf(services, { ...binding, id: bindingId }))
    lines.push(await testLine(channelId, () => services.feeds.test(guildId, id)));
  for (const { id, channelId } of alerts)
    lines.push(await testLine(channelId, () => services.alerts.test(guildId, id)));
  const arrived = lines.filter((line) => line.startsWith("✅")).length;
  const allArrived = arrived === lines.length;
  const head = allArrived ? [] : [md`${arrived} of ${lines.length} tests arrived.`];
  const words = joined([...head, ...[...new Set(lines)].slice(0, 15)], "\n");
  return { step: allArrived ? "done" : "test", bindingId, isTested: allArrived, note: words };
}

async function testLine(channelId: string, post: () => Promise<void>): Promise<Escaped> {
  const channel = channelMention(channelId);
  try {
    await post();
    return md`✅ Test posted in ${channel}.`;
  } catch (error) {
    if (!(error instanceof SinkRefusal)) throw error;
    // The step itself names the permissions that are missing there.
    if (error.reason === "no-access") return md`⚠ I can't post in ${channel}.`;
    return md`⚠ I can't post in ${channel}: ${refusedText(error.reason, BY_FEED_EDIT)}`;
  }
}
