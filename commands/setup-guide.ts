import type { Press, Reply } from "../src/discord/command.ts";
import { doneSince, guideMessage } from "../src/discord/render/setup-guide.ts";
import type { GuideView } from "../src/discord/render/setup-guide-parts.ts";
import type { Services } from "../src/discord/services.ts";
import type { Escaped } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import {
  type Actor,
  type Binding,
  GUIDE_STEPS,
  type GuideProgress,
  type GuideStep,
  type GuildSettings,
} from "../src/domain/guild.ts";
import type { ChannelAccess } from "../src/domain/ports/guilds.ts";
import { meantServer } from "../src/domain/server-choice.ts";
import { positionDaysOf } from "./history-positions.ts";
import { typedTries } from "./setup-link.ts";

/** The guided set-up. Its position is stored with the guild, so that it goes on after a restart. */

export interface GuidePosition {
  readonly step: GuideStep;
  /** Empty: the default server of the guild or channel. */
  readonly bindingId: string;
  readonly more?: boolean;
  /** A harmless command waits for a yes. */
  readonly isAsked?: boolean;
  /** The permission is looked at again in a moment. */
  readonly isChecking?: boolean;
  /** It was looked at by the press before. */
  readonly isChecked?: boolean;
  /** The key that was typed last was none. */
  readonly isKeyWrong?: boolean;
  /** All tests arrived, or not all of them. */
  readonly isTested?: boolean | undefined;
  /** Commands ran with the key that this server had before. */
  readonly hadCommands?: boolean;
  /** The step at which Skip was pressed. */
  readonly skipped?: GuideStep;
  readonly note?: Escaped | undefined;
}

/** The message of a step, drawn from what is stored and from what Discord allows now. */
export async function guideAt(services: Services, actor: Actor, at: GuidePosition): Promise<Reply> {
  const { guildId, roleIds } = actor;
  const binding = await bindingOf(services, actor, at.bindingId);
  // Nothing else can be set up before there is a server.
  const step = binding === undefined ? "link" : at.step;
  const settings = await services.settings.change(guildId, (before) => ({
    ...before,
    guide: progressOf(before, {
      step,
      bindingId: binding?.id,
      isTested: at.isTested,
      hadCommands: at.hadCommands,
      skipped: at.skipped,
    }),
  }));
  const posts = await postsOf(services, binding);
  const accesses = await channelAccessOf(services, guildId, channelsOf(settings, posts));
  const view: GuideView = {
    step,
    binding,
    isOneOfSeveral: (await services.bindings.list(guildId)).length > 1,
    settings,
    ...posts,
    cases: services.cases,
    positionDays: await positionDaysOf(services, guildId),
    accessOf: (channelId) => accesses.get(channelId) ?? { kind: "unknown" },
    ownRole: services.guilds.topRole(guildId, roleIds),
    mayRun: binding !== undefined && (await services.permissions.isStaff(actor, binding)),
    permission:
      binding === undefined ? { kind: "unknown" } : services.health.commandPermission(binding.source),
    ownerPage:
      binding === undefined || step !== "allow"
        ? undefined
        : await services.commandPermission.ownerPage(binding.source),
    tries: step === "link" ? typedTries(guildId, services) : undefined,
    isKeyWrong: at.isKeyWrong ?? false,
    isKeyRefused: binding !== undefined && services.health.parked(binding.source) !== undefined,
    nowMs: services.clock.nowMs(),
    isChecking: at.isChecking ?? false,
    isChecked: at.isChecked ?? false,
    ...(at.isAsked === undefined ? {} : { isAsked: at.isAsked }),
    ...(at.more === undefined ? {} : { more: at.more }),
    ...(at.note === undefined ? {} : { note: at.note }),
  };
  await forgetSkips(services, guildId, doneSince(view));
  return guideMessage(view);
}

async function forgetSkips(
  { settings }: Services,
  guildId: string,
  done: readonly GuideStep[],
): Promise<void> {
  if (done.length === 0) return;
  await settings.change(guildId, ({ guide, ...before }) => {
    if (guide === undefined) return before;
    const skipped = (guide.skipped ?? []).filter((step) => !done.includes(step));
    return { ...before, guide: { ...guide, skipped } };
  });
}

/** Whether the tests arrived holds for the server that was tested. */
function progressOf(
  { guide }: GuildSettings,
  {
    step,
    bindingId,
    isTested,
    hadCommands,
    skipped,
  }: {
    readonly step: GuideStep;
    readonly bindingId: string | undefined;
    readonly isTested: boolean | undefined;
    readonly hadCommands: boolean | undefined;
    readonly skipped: GuideStep | undefined;
  },
): GuideProgress {
  if (bindingId === undefined) return { step };
  const before = guide?.bindingId === bindingId ? guide : undefined;
  const arrived = isTested ?? before?.isTested;
  const skips = [...new Set([...(before?.skipped ?? []), ...(skipped === undefined ? [] : [skipped])])];
  const had = hadCommands ?? before?.hadCommands ?? false;
  return {
    step,
    bindingId,
    ...(arrived === undefined ? {} : { isTested: arrived }),
    ...(had ? { hadCommands: true } : {}),
    ...(skips.length === 0 ? {} : { skipped: skips }),
  };
}

export type Posts = Pick<GuideView, "feeds" | "alerts" | "panelChannelIds" | "weeklyChannelId">;

/** What is posted of a server, and where. */
export async function postsOf(services: Services, binding: Binding | undefined): Promise<Posts> {
  if (binding === undefined)
    return { feeds: [], alerts: [], panelChannelIds: [], weeklyChannelId: undefined };
  const { id, guildId } = binding;
  const isOfIt = ({ bindingId }: { readonly bindingId: string }) => bindingId === id;
  return {
    feeds: await feedsOf(services, binding),
    alerts: (await services.alerts.list(guildId)).filter(isOfIt),
    panelChannelIds: services.panels
      .list(guildId)
      .filter(isOfIt)
      .map(({ channelId }) => channelId),
    weeklyChannelId: await weeklyChannelOf(services, guildId),
  };
}

/** Where the host records nothing there is no summary, and the guide goes on without. */
export async function weeklyChannelOf({ weekly }: Services, guildId: string): Promise<string | undefined> {
  try {
    return (await weekly.of(guildId))?.channelId;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return undefined;
  }
}

function channelsOf({ noticeChannelId, caseChannelId }: GuildSettings, posts: Posts): readonly string[] {
  const { feeds, alerts, panelChannelIds, weeklyChannelId } = posts;
  const single = [noticeChannelId, caseChannelId, weeklyChannelId].filter((id) => id !== undefined);
  return [...feeds, ...alerts].map(({ channelId }) => channelId).concat(panelChannelIds, single);
}

/** The step that slow work belongs to. Whoever went on meanwhile, on the same message, is not called back, and reads there what came of it. */
export async function guideAfter(
  services: Services,
  actor: Actor,
  work: () => Promise<GuidePosition>,
): Promise<Reply> {
  const stepNow = async () => (await services.settings.of(actor.guildId)).guide?.step;
  const before = await stepNow();
  const at = await work();
  const isLeft = (await stepNow()) !== before;
  if (!isLeft) return await guideAt(services, actor, at);
  return await resumeGuide(services, actor, { isTested: at.isTested, note: at.note });
}

/** The step at which it was left, or the first one. */
export async function resumeGuide(
  services: Services,
  actor: Actor,
  done: Pick<GuidePosition, "isTested" | "note"> = {},
): Promise<Reply> {
  const { guide } = await services.settings.of(actor.guildId);
  const isLinked = (await services.bindings.list(actor.guildId)).length > 0;
  const fresh: GuideStep = isLinked ? "staff" : "link";
  const bindingId = guide?.bindingId ?? "";
  const binding = await bindingOf(services, actor, bindingId);
  // Without a key that works no other step leads anywhere.
  const isKeyRefused = binding !== undefined && services.health.parked(binding.source) !== undefined;
  const step = isKeyRefused ? "link" : (guide?.step ?? fresh);
  return await guideAt(services, actor, { step, bindingId, ...done });
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
  const { step, bindingId } = stepOf(argument);
  return await guideAt(services, actor, { step, bindingId });
}

/** `guide-skip:STEP:BINDING`: on to the next step, and the one that is left counts as skipped. */
export async function skipStep({ actor, argument }: Press, services: Services): Promise<Reply> {
  const { step, bindingId } = stepOf(argument);
  const next = GUIDE_STEPS[GUIDE_STEPS.indexOf(step) + 1] ?? "done";
  return await guideAt(services, actor, { step: next, bindingId, skipped: step });
}

function stepOf(argument: string): { readonly step: GuideStep; readonly bindingId: string } {
  const [name = "", bindingId = ""] = argument.split(":");
  const step = GUIDE_STEPS.find((one) => one === name);
  if (step === undefined) throw new Failure("expired", "This button is from an older version of Marshal.");
  return { step, bindingId };
}
