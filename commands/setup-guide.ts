import type { Press, Reply } from "../src/discord/command.ts";
import { inlineCode } from "../src/discord/render/escape.ts";
import { isThisYours } from "../src/discord/render/setup-cards.ts";
import { guideMessage } from "../src/discord/render/setup-guide.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import { type Actor, type Binding, GUIDE_STEPS, type GuideStep } from "../src/domain/guild.ts";
import type { ChannelAccess } from "../src/domain/ports/guilds.ts";
import { meantServer } from "../src/domain/server-choice.ts";
import { linkPending, verifyPastedKey } from "./setup-link.ts";

/** The guided set-up. Its position is stored with the guild, so that it goes on after a restart. */

interface GuidePosition {
  readonly step: GuideStep;
  /** Empty: the default server of the guild or channel. */
  readonly bindingId: string;
  readonly more?: boolean;
  readonly note?: Escaped;
}

/** The message of a step, drawn from what is stored and from what Discord allows now. */
export async function guideAt(services: Services, actor: Actor, at: GuidePosition): Promise<Reply> {
  const { guildId, roleIds } = actor;
  const binding = await bindingOf(services, actor, at.bindingId);
  // Nothing else can be set up before there is a server.
  const step = binding === undefined ? "link" : at.step;
  const settings = await services.settings.change(guildId, (before) => ({
    ...before,
    guide: { step, ...(binding === undefined ? {} : { bindingId: binding.id }) },
  }));
  const feeds = binding === undefined ? [] : await feedsOf(services, binding);
  const notices = settings.noticeChannelId === undefined ? [] : [settings.noticeChannelId];
  const accesses = await channelAccessOf(services, guildId, [
    ...feeds.map(({ channelId }) => channelId),
    ...notices,
  ]);
  return guideMessage({
    step,
    binding,
    isOneOfSeveral: (await services.bindings.list(guildId)).length > 1,
    settings,
    feeds,
    accessOf: (channelId) => accesses.get(channelId) ?? { kind: "unknown" },
    ownRole: services.guilds.topRole(guildId, roleIds),
    mayRun: binding !== undefined && (await services.permissions.isStaff(actor, binding)),
    nowMs: services.clock.nowMs(),
    ...(at.more === undefined ? {} : { more: at.more }),
    ...(at.note === undefined ? {} : { note: at.note }),
  });
}

/** The step at which it was left, or the first one. */
export async function resumeGuide(services: Services, actor: Actor): Promise<Reply> {
  const { guide } = await services.settings.of(actor.guildId);
  const isLinked = (await services.bindings.list(actor.guildId)).length > 0;
  const fresh: GuideStep = isLinked ? "staff" : "link";
  return await guideAt(services, actor, { step: guide?.step ?? fresh, bindingId: guide?.bindingId ?? "" });
}

/** The server that a button names; where that is unlinked, or none is named, the default one. */
async function bindingOf(services: Services, actor: Actor, id: string): Promise<Binding | undefined> {
  const linked = await services.bindings.list(actor.guildId);
  const named = linked.find(
    (binding) => binding.id === id || binding.name.toLowerCase() === id.toLowerCase(),
  );
  if (named !== undefined) return named;
  return meantServer(linked, await services.settings.of(actor.guildId), actor.channelId) ?? linked[0];
}

/** Oldest first. */
export async function feedsOf({ feeds }: Services, { id, guildId }: Binding) {
  const all = (await feeds.list(guildId)).filter(({ bindingId }) => bindingId === id);
  return all.sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
}

export async function channelAccessOf(
  { guilds }: Services,
  guildId: string,
  channelIds: readonly string[],
): Promise<ReadonlyMap<string, ChannelAccess>> {
  const different = [...new Set(channelIds)];
  const accesses = await Promise.all(different.map((id) => guilds.channelAccess(guildId, id)));
  return new Map(different.map((id, at) => [id, accesses[at] ?? { kind: "unknown" }]));
}

/** `guide:STEP:BINDING` */
export async function goTo({ actor, argument }: Press, services: Services): Promise<Reply> {
  const [name = "", bindingId = ""] = argument.split(":");
  const step = GUIDE_STEPS.find((one) => one === name);
  if (step === undefined) throw new Failure("expired", "This button belongs to an older version of the bot.");
  return await guideAt(services, actor, { step, bindingId });
}

/** The form with the key, submitted. */
export async function onKeyTyped({ actor, form }: Press, services: Services): Promise<Reply> {
  const pasted = form.text("key");
  const { status, pendingId, replaces } = await verifyPastedKey({ actor, pasted, roleIds: [] }, services);
  const ids = { yes: `guide-yes:${pendingId}`, no: `guide-no:${pendingId}` };
  return isThisYours({ status, roleIds: [], replaces, ids });
}

export async function onLinkConfirmed({ actor, argument }: Press, services: Services): Promise<Reply> {
  try {
    const { binding, replaced } = await linkPending(argument, actor, services);
    const note = replaced
      ? md`✅ It has its new key. Its feeds and its history go on.`
      : md`✅ Linked.${binding.keyEnd === undefined ? "" : md` Its key ends in ${inlineCode(binding.keyEnd)}.`}`;
    return await guideAt(services, actor, { step: "staff", bindingId: binding.id, note });
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "expired") throw error;
    // After a restart, or too late: the step is still there, only the key has to be pasted once more.
    const note = md`⚠ The key was forgotten: five minutes have passed, or Marshal was started anew. Paste it once more.`;
    return await guideAt(services, actor, { step: "link", bindingId: "", note });
  }
}

export async function onLinkDeclined({ actor, argument }: Press, services: Services): Promise<Reply> {
  services.pendingLinks.take(argument, actor);
  const note = md`Nothing was saved, and the key is forgotten.`;
  return await guideAt(services, actor, { step: "link", bindingId: "", note });
}
