import type { Press, Reply } from "../src/discord/command.ts";
import { escapeMarkdown } from "../src/discord/render/escape.ts";
import { feedText } from "../src/discord/render/feed-cards.ts";
import { shownFeed } from "../src/discord/render/setup-guide-logs.ts";
import { rolesNotShown } from "../src/discord/render/setup-guide-staff.ts";
import { zoneCode } from "../src/discord/render/setup-guide-zone.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, joined, md, roleMention } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import { FEED_KINDS, type FeedKind, feedKind } from "../src/domain/feed-kinds.ts";
import type { Actor, Binding, Feed, Tier } from "../src/domain/guild.ts";
import type { NewFeed } from "../src/domain/ports/feeds.ts";
import { TIER_NAMES, TIERS } from "../src/domain/tiers.ts";
import { recordEvent } from "./audit-event.ts";
import { changePolicy } from "./change-policy.ts";
import { MOST_FEEDS } from "./feed-add.ts";
import { setPositions } from "./history-positions.ts";
import { feedsOf, guideAt } from "./setup-guide.ts";
import { EVERYONE_IS_NO_STAFF } from "./setup-link.ts";
import { setTimeZone } from "./setup-settings.ts";
import { withTier } from "./staff-policy.ts";

/** The selects and buttons of the guided set-up. Each changes something and then shows its step again. */

/** The linked server that a button of the guide names. */
export async function linked({ bindings }: Services, { guildId }: Actor, id: string): Promise<Binding> {
  const found = (await bindings.list(guildId)).find((binding) => binding.id === id);
  if (found === undefined) throw new Failure("not-linked", "That server is no longer linked.");
  return found;
}

/** `guide-tier:TIER:BINDING`: exactly the chosen roles hold that tier, and those that its list has no room for. */
export async function chooseTier({ actor, argument, values }: Press, services: Services): Promise<Reply> {
  const [name = "", bindingId = ""] = argument.split(":");
  const tier = TIERS.find((one) => one === name);
  if (tier === undefined) throw new Failure("expired", "This list is from an older version of Marshal.");
  const binding = await linked(services, actor, bindingId);
  if (values.includes(actor.guildId)) {
    return await guideAt(services, actor, { step: "staff", bindingId, note: md`⚠ ${EVERYONE_IS_NO_STAFF}` });
  }
  let holding = values;
  await changePolicy(services, { actor, binding }, (policy) => {
    const others = Object.entries(policy.roleTiers).filter(([, of]) => of !== tier);
    const cleared = { ...policy, roleTiers: Object.fromEntries(others) };
    holding = [...new Set([...values, ...rolesNotShown(policy.roleTiers, tier)])];
    return holding.reduce((changed, roleId) => withTier(changed, roleId, tier), cleared);
  });
  const who = holding.length === 0 ? "nobody" : someRoles(holding);
  await recordEvent(services, actor, { action: "staff-tier", text: `${who} ${tier} on ${binding.name}` });
  return await guideAt(services, actor, { step: "staff", bindingId, note: tierNote(tier, holding) });
}

/** 200 roles may hold a tier, which no message has room for. */
const MOST_NAMED = 25;

function someRoles(roleIds: readonly string[]): Escaped {
  const named = joined(roleIds.slice(0, MOST_NAMED).map(roleMention), " ");
  const left = roleIds.length - MOST_NAMED;
  return left > 0 ? md`${named} and ${left} more` : named;
}

function tierNote(tier: Tier, roleIds: readonly string[]): Escaped {
  if (roleIds.length === 0) return md`No role is ${TIER_NAMES[tier]} now.`;
  return md`✅ ${TIER_NAMES[tier]}: ${someRoles(roleIds)}`;
}

/** `guide-mine:ROLE:BINDING`: a role of the person who presses becomes Manager. */
export async function makeMine({ actor, argument }: Press, services: Services): Promise<Reply> {
  const [roleId = "", bindingId = ""] = argument.split(":");
  const binding = await linked(services, actor, bindingId);
  if (!actor.roleIds.includes(roleId) || roleId === actor.guildId) {
    return await guideAt(services, actor, {
      step: "staff",
      bindingId,
      note: md`⚠ You no longer have that role.`,
    });
  }
  await changePolicy(services, { actor, binding }, (policy) => withTier(policy, roleId, "manager"));
  await recordEvent(services, actor, {
    action: "staff-allow",
    text: `<@&${roleId}> manager on ${binding.name}`,
  });
  return await guideAt(services, actor, { step: "staff", bindingId, note: tierNote("manager", [roleId]) });
}

/** `guide-log:KIND:BINDING`: that log goes to the chosen channel, or nowhere. */
export async function chooseLog({ actor, argument, values }: Press, services: Services): Promise<Reply> {
  const [name = "", bindingId = ""] = argument.split(":");
  const kind = FEED_KINDS.find((one) => one === name);
  if (kind === undefined) throw new Failure("expired", "This list is from an older version of Marshal.");
  const binding = await linked(services, actor, bindingId);
  const before = shownFeed(await feedsOf(services, binding), kind);
  const [channelId] = values;
  const change = { actor, binding, kind, before };
  if (channelId === undefined) await removeFeed(change, services);
  else if (before?.channelId !== channelId) await moveFeed({ ...change, channelId }, services);
  else if (before.state !== "live") await services.feeds.resume(actor.guildId, before.id);
  const more = feedKind(kind).isCommon !== true;
  return await guideAt(services, actor, { step: "logs", bindingId, more });
}

interface LogChange {
  readonly actor: Actor;
  readonly binding: Binding;
  readonly kind: FeedKind;
  readonly before: Feed | undefined;
}

async function removeFeed({ actor, before }: LogChange, services: Services): Promise<void> {
  if (before === undefined) return;
  await services.feeds.remove(actor.guildId, before.id);
  await recordEvent(services, actor, { action: "feed-remove", text: await said(services, before) });
}

/** The new one first: where it is refused, the old one goes on. What was set on it (filters, pings) moves along. */
async function moveFeed(
  change: LogChange & { readonly channelId: string },
  services: Services,
): Promise<void> {
  const { actor, binding, kind, before, channelId } = change;
  const { guildId, userId } = actor;
  const count = (await services.feeds.list(guildId)).length;
  if (before === undefined && count >= MOST_FEEDS) {
    throw new Failure(
      "bad-command",
      `This community has ${MOST_FEEDS} feeds, the maximum. Remove one first.`,
    );
  }
  const wanted = { ...keptOf(before), guildId, bindingId: binding.id, kind, channelId, createdBy: userId };
  const feed = await services.feeds.add(wanted);
  await recordEvent(services, actor, { action: "feed-add", text: await said(services, feed) });
  await removeFeed(change, services);
}

function keptOf(before: Feed | undefined): Pick<NewFeed, "style" | "filter" | "silent"> {
  if (before === undefined) return { style: "lines", filter: {}, silent: false };
  const { id: _, state: __, parkedWhy: ___, createdAtMs: ____, ...kept } = before;
  return kept;
}

async function said({ bindings }: Services, feed: Feed): Promise<Escaped> {
  return feedText(feed, await bindings.list(feed.guildId));
}

/** `guide-positions:DAYS:BINDING` */
export async function choosePositions({ actor, argument }: Press, services: Services): Promise<Reply> {
  const [digits = "", bindingId = ""] = argument.split(":");
  await setPositions(services, actor, Number(digits));
  return await guideAt(services, actor, { step: "positions", bindingId });
}

/** `guide-zone:BINDING`, of the list or typed into the form. */
export async function chooseZone(
  { actor, argument, values, form }: Press,
  services: Services,
): Promise<Reply> {
  const at = { step: "zone", bindingId: argument } as const;
  try {
    const zone = await setTimeZone(services, actor, values[0] ?? form.text("zone"));
    return await guideAt(services, actor, { ...at, note: md`✅ Time zone: ${zoneCode(zone)}` });
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "bad-command") throw error;
    return await guideAt(services, actor, { ...at, note: md`⚠ ${escapeMarkdown(error.message)}` });
  }
}
