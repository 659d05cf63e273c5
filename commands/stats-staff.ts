import { ApplicationCommandOptionType } from "discord.js";
import { defineEntry, type NamedPerson, type Reply } from "../src/discord/command.ts";
import { casesOf, type MemberRuns, staffRows } from "../src/discord/render/stats/staff-rows.ts";
import {
  ownMessage,
  ownPicture,
  type StaffRow,
  staffMessage,
  staffPicture,
} from "../src/discord/render/stats/staff-stats.ts";
import { type PeriodDays, periodWords } from "../src/discord/render/stats/stats-words.ts";
import type { Services } from "../src/discord/services.ts";
import { md, userMention } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { GameAccount } from "../src/domain/ports/game-accounts.ts";
import { isAutomatic } from "../src/domain/run.ts";
import type { ClaimName, StatsSpan } from "../src/domain/stats.ts";
import { DEFAULT_ZONE } from "../src/domain/time-zones.ts";
import { moderatedServers } from "./moderated-servers.ts";
import { mustBeManager, staffedServers } from "./staff-rights.ts";
import { drawn } from "./stats-picture.ts";
import { periodOf, periodOption, spanUpToNow } from "./stats-server.ts";

/** `/stats staff`: what staff did. One's own; all of it for Managers, or whom the community lets see it. */

/** Rows of the audit that one search reads. */
const MOST_RUNS = 2_000;

interface StaffArgs {
  readonly member: NamedPerson | undefined;
  readonly days: PeriodDays;
}

interface Asked {
  readonly actor: Actor;
  readonly signal: AbortSignal;
  readonly span: StatsSpan;
  readonly days: PeriodDays;
}

/** Whether somebody sees the figures of others. */
async function seesAll(services: Services, actor: Actor): Promise<boolean> {
  const { staffFiguresFor } = await services.settings.of(actor.guildId);
  try {
    if (staffFiguresFor === "moderators") await moderatedServers(services, actor);
    else await mustBeManager(services, actor, "");
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return actor.manageGuild;
  }
}

/** Commands that Marshal sent, by the member who gave them, and the names under which members claimed calls. */
async function runCounts(
  { audit }: Services,
  guildId: string,
  { fromS, toS, actorId }: Pick<StatsSpan, "fromS" | "toS"> & { readonly actorId?: string },
): Promise<MemberRuns & { readonly isRunsShortened: boolean }> {
  const filter = {
    fromMs: fromS * 1_000,
    toMs: toS * 1_000,
    limit: MOST_RUNS,
    ...(actorId === undefined ? {} : { actorId }),
  };
  const found = await audit.search(guildId, { ...filter, withoutDenied: true });
  const events = await audit.events(guildId, filter);
  const runs = new Map<string, number>();
  const ids = Map.groupBy([...found.rows, ...events.rows], ({ actorName }) => actorName);
  const named = [...ids].flatMap(([name, [one, ...more]]): [string, string][] =>
    one === undefined || more.some(({ actorId: id }) => id !== one.actorId) ? [] : [[name, one.actorId]],
  );
  for (const { actorId: id, ran, origin } of found.rows) {
    // A schedule runs by somebody's rights, not by their work.
    if (ran !== "no" && !isAutomatic(origin)) runs.set(id, (runs.get(id) ?? 0) + 1);
  }
  return {
    runs,
    named: new Map(named),
    isRunsShortened: found.stoppedAt !== undefined || found.next !== undefined,
  };
}

/** Names of members who are linked by now. */
function claimNamesOf(named: MemberRuns["named"], linked: readonly GameAccount[]): readonly ClaimName[] {
  const players = new Map(linked.map(({ userId, player }) => [userId, player.id]));
  return [...named].flatMap(([name, userId]) => {
    const playerId = players.get(userId);
    return playerId === undefined ? [] : [{ name, playerId }];
  });
}

async function* showOne(
  services: Services,
  { actor, signal, span, days }: Asked,
  userId: string,
): AsyncGenerator<Reply> {
  const { guildId } = actor;
  const { accounts, history, settings } = services;
  const account = await accounts.of(guildId, userId);
  const playerId = account?.player.id;
  // Nobody has the id 0: without an account only what is common to all is counted.
  const { runs, named, isRunsShortened } = await runCounts(services, guildId, { ...span, actorId: userId });
  const claimNames = account === undefined ? [] : claimNamesOf(named, [account]);
  const stats = await history.stats.staff(guildId, { ...span, playerId: playerId ?? 0, claimNames });
  const cases = await caseCounts(services, guildId, span);
  const [figures] = stats.staff;
  const row: StaffRow = {
    ...(figures === undefined ? {} : { figures }),
    userId,
    runs: runs.get(userId) ?? 0,
    cases: casesOf(cases, { userId, playerId }),
  };
  const { pictureLook = "dark" } = await settings.of(guildId);
  const pictures = ownPicture(stats, pictureLook, `last ${periodWords(days)}`);
  const isOwn = userId === actor.userId;
  const title = md`🛡 ${isOwn ? "You" : "One staff member"}, last ${periodWords(days)}`;
  const content = isOwn ? {} : { content: userMention(userId) };
  for await (const { pngs, pictureWords } of drawn(services, guildId, { pictures, signal })) {
    const view = { stats, rows: [row], title, png: pngs?.[0], pictureWords, isRunsShortened };
    yield { ...content, ...ownMessage({ ...view, hasAccount: account !== undefined, isOwn }) };
  }
}

async function* showAll(services: Services, { actor, signal, span, days }: Asked): AsyncGenerator<Reply> {
  const { guildId } = actor;
  const { accounts, history, settings } = services;
  const { runs, named, isRunsShortened } = await runCounts(services, guildId, span);
  const linked = await accounts.list(guildId);
  const stats = await history.stats.staff(guildId, { ...span, claimNames: claimNamesOf(named, linked) });
  const cases = await caseCounts(services, guildId, span);
  const members = new Map(linked.map(({ player, userId }) => [player.id, userId]));
  const rows = staffRows({ stats, cases, runs, named, members });
  const { pictureLook = "dark" } = await settings.of(guildId);
  const pictures = staffPicture(stats, pictureLook, `last ${periodWords(days)}`);
  const title = md`🛡 Staff, last ${periodWords(days)}`;
  for await (const { pngs, pictureWords } of drawn(services, guildId, { pictures, signal })) {
    yield staffMessage({ stats, rows, title, png: pngs?.[0], pictureWords, isRunsShortened });
  }
}

async function caseCounts({ history }: Services, guildId: string, { fromS, toS }: StatsSpan) {
  return await history.stats.cases(guildId, { fromMs: fromS * 1_000, toMs: toS * 1_000 });
}

export const staffEntry = defineEntry<StaffArgs>({
  description: "Hours, calls, commands and cases: yours, or everyone's for Managers",
  first: "ephemeral",
  options: [
    periodOption,
    { type: ApplicationCommandOptionType.User, name: "member", description: "A staff member (Managers)" },
  ],
  parse: (options) => ({ member: options.person("member"), days: periodOf(options.string("period")) }),
  async *execute({ actor, args, signal }, services) {
    const { settings, clock } = services;
    if (services.bindings.linkedOf(actor.guildId).length === 0) {
      throw new Failure("not-linked", "No game server is linked here yet.", {
        wants: "server",
        isRead: true,
      });
    }
    const isStaff = (await staffedServers(services, actor)).length > 0;
    if (!isStaff && !actor.manageGuild) {
      throw new Failure("denied", "Only staff have staff stats.", { isRead: true, wants: "tier" });
    }
    const all = await seesAll(services, actor);
    const wanted = args.member?.userId ?? (all ? undefined : actor.userId);
    if (wanted !== actor.userId && !all) {
      throw new Failure("denied", "Only Managers can see other people's stats.", { isRead: true });
    }
    const { timeZone: zone = DEFAULT_ZONE } = await settings.of(actor.guildId);
    const span = { ...spanUpToNow(clock.nowMs(), args.days), zone };
    const asked = { actor, signal, span, days: args.days };
    yield* wanted === undefined ? showAll(services, asked) : showOne(services, asked, wanted);
  },
});
