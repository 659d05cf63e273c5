import { ApplicationCommandOptionType } from "discord.js";
import {
  type Choice,
  defineAction,
  defineCommand,
  defineEntry,
  type Invocation,
  type NamedPerson,
  type Reply,
  type Typing,
} from "../src/discord/command.ts";
import { inlineName } from "../src/discord/render/escape.ts";
import { accountCard, codeCard, codeOutcomeCard } from "../src/discord/render/me-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { md, userMention } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type { PlayerRef } from "../src/domain/model.ts";
import type { LinkOutcome } from "../src/domain/ports/game-accounts.ts";
import { livePlayerChoices } from "./live-players.ts";
import { importActions, importEntry } from "./me-import.ts";
import { mentionActions, mentionsEntry } from "./me-mentions.ts";
import { choosePlayer, nobodyFailure } from "./player-choice.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { isManager, mustBeManager, staffedServers } from "./staff-rights.ts";
import { mayTakeRanks } from "./unlink-rights.ts";

/** Which player a member is, so that runs and cards can act for the player. */

const { String: text, User: user } = ApplicationCommandOptionType;

/** Players who were seen this lately are believed to be in the server. */
const PLAYERS_AGE_MS = 10_000;

interface LinkArgs {
  readonly server: string | undefined;
  readonly member: NamedPerson | undefined;
  readonly player: string | undefined;
}

const link = defineEntry<LinkArgs>({
  description: "Link your game account with a code you type in the game",
  first: "ephemeral",
  options: [
    serverOption,
    { type: user, name: "member", description: "Link somebody else (Managers)" },
    {
      type: text,
      name: "player",
      description: "Their name or id in the game (Managers)",
      autocomplete: true,
      max_length: 60,
    },
  ],
  parse: (options) => ({
    server: options.string("server"),
    member: options.person("member"),
    player: options.string("player")?.trim(),
  }),
  autocomplete: (typing, services) =>
    typing.option === "server" ? completeServer(typing, services) : completeLinked(typing, services),
  async *execute({ actor, args, signal }, services) {
    const { member, player } = args;
    if (member !== undefined || player !== undefined) {
      yield await vouch(services, { actor, signal }, args);
      return;
    }
    yield* showCode(services, { actor, signal }, await services.bindings.pick(actor.guildId, args.server));
  },
});

/** Everybody in the servers that may be meant, for their staff and for holders of Manage Server. */
async function completeLinked(
  { actor, typed, options }: Typing,
  services: Services,
): Promise<readonly Choice[]> {
  const named = options.string("server");
  const servers = actor.manageGuild
    ? await services.bindings.list(actor.guildId)
    : await staffedServers(services, actor);
  return servers
    .filter(({ id }) => named === undefined || id === named)
    .flatMap((binding) => livePlayerChoices(services, binding, typed));
}

/** Shows a fresh code, and then its outcome. */
async function* showCode(
  services: Services,
  { actor, signal }: Pick<Invocation<unknown>, "actor" | "signal">,
  binding: Binding,
): AsyncGenerator<Reply> {
  const code = await services.accounts.begin(actor, binding);
  yield codeCard(code, { serverName: binding.name, linksOthers: await isManager(services, actor) });
  const stopped = new Promise<LinkOutcome>((resolve) => {
    signal.addEventListener("abort", () => resolve({ kind: "withdrawn" }), { once: true });
  });
  const outcome = await Promise.race([code.outcome, stopped]);
  yield { ...codeOutcomeCard(outcome, binding.id), important: outcome.kind === "linked" };
}

/** Links another member's account by the word of a Manager. */
async function vouch(
  services: Services,
  { actor, signal }: Pick<Invocation<unknown>, "actor" | "signal">,
  { member, player, server }: LinkArgs,
): Promise<Reply> {
  const forManagers =
    member === undefined || member.userId === actor.userId
      ? "Only Managers can link by name. To link your own account, run /me link alone."
      : "Only Managers can link somebody else's account.";
  await mustBeManager(services, actor, forManagers);
  if (member === undefined || player === undefined || player === "") {
    throw new Failure("bad-command", "To link somebody else, give both member: and player:.");
  }
  const servers =
    server === undefined
      ? await services.bindings.list(actor.guildId)
      : [await services.bindings.pick(actor.guildId, server)];
  if (servers.length === 0) await services.bindings.pick(actor.guildId, undefined);
  const known = await playerMeant(services, { actor, typed: player, servers, signal });
  await services.accounts.vouch(actor, member.userId, known);
  return { content: md`✅ ${userMention(member.userId)} is **${inlineName(known.name)}** in the game.` };
}

interface Wanted {
  readonly actor: Actor;
  readonly typed: string;
  readonly servers: readonly Binding[];
  readonly signal: AbortSignal;
}

/** By the lists that are known, else by the players whom an answer of now shows. */
async function playerMeant(
  services: Services,
  { actor, typed, servers, signal }: Wanted,
): Promise<Required<PlayerRef>> {
  for (const binding of servers) {
    const known = services.permissions.findPlayer(binding, typed);
    if (known !== undefined) return known;
  }
  const unread = await Promise.all(servers.map((binding) => readPlayers(services, binding, signal)));
  const choice = await choosePlayer(services, actor, { typed, servers }).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    const failed = unread.find((failure) => failure !== undefined);
    const where = servers.map(({ name }) => name).join(", ");
    const words = `"${typed}" was not seen on ${where}. Try again while they are playing.`;
    throw failed ?? new Failure("bad-command", words, { cause: error });
  });
  if (choice.kind === "one" && choice.isBeginning === true) throw nobodyFailure(typed, [choice.player]);
  if (choice.kind === "one") return choice.player;
  const words = `Several players have used the name "${typed}". Choose one from the list or type the id.`;
  throw new Failure("bad-command", words);
}

/** Returns why they could not be read. */
async function readPlayers(
  { snapshots }: Services,
  { source, guildId }: Binding,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  try {
    await snapshots.fresh(source, ["players"], { maxAgeMs: PLAYERS_AGE_MS, signal, guildId });
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

interface MemberArgs {
  readonly memberId: string | undefined;
}

const memberOption = {
  parse: (options: { id(name: string): string | undefined }): MemberArgs => ({
    memberId: options.id("member"),
  }),
};

const show = defineEntry<MemberArgs>({
  description: "Show your linked game account",
  first: "ephemeral",
  options: [{ type: user, name: "member", description: "Somebody else (staff)" }],
  parse: memberOption.parse,
  async execute({ actor, args: { memberId = actor.userId } }, services) {
    const isOwn = memberId === actor.userId;
    if (!isOwn && !actor.manageGuild && (await staffedServers(services, actor)).length === 0) {
      throw new Failure("denied", "Only staff can see other people's accounts.", {
        wants: "tier",
        isRead: true,
      });
    }
    const account = await services.accounts.of(actor.guildId, memberId);
    const servers = await services.bindings.list(actor.guildId);
    const bindingId = servers.length === 1 ? servers[0]?.id : undefined;
    const mayConfirm =
      account !== undefined && account.vouchedBy !== actor.userId && (await isManager(services, actor));
    return accountCard({ userId: memberId, account, isOwn, bindingId, mayConfirm });
  },
});

const unlink = defineEntry<MemberArgs>({
  description: "Unlink your game account",
  first: "ephemeral",
  options: [{ type: user, name: "member", description: "Somebody else (Managers)" }],
  parse: memberOption.parse,
  execute: ({ actor, args }: Invocation<MemberArgs>, services) =>
    undo(services, actor, args.memberId ?? actor.userId),
});

async function undo(services: Services, actor: Actor, memberId: string): Promise<Reply> {
  if (memberId !== actor.userId) {
    await mustBeManager(services, actor, "Only Managers can unlink somebody else's account.");
    const own = await services.accounts.of(actor.guildId, memberId);
    if (own !== undefined) await mayTakeRanks(services, actor, [own]);
  }
  const gone = await services.accounts.unlink(actor, memberId);
  const whose = memberId === actor.userId ? md`You have` : md`${userMention(memberId)} has`;
  if (gone === undefined) return { content: md`${whose} no linked game account.` };
  const words = memberId === actor.userId ? md`linked to you` : md`linked to ${userMention(memberId)}`;
  return { content: md`✅ **${inlineName(gone.player.name)}** is no longer ${words}.` };
}

export const me = defineCommand({
  name: "me",
  description: "Your account in the game, and whether Marshal may mention you",
  subcommands: { link, show, unlink, import: importEntry, mentions: mentionsEntry },
  actions: {
    ...mentionActions,
    ...importActions,
    "me-code": defineAction({
      first: "update",
      async *execute({ actor, argument, signal }, services) {
        const binding = await services.bindings.pick(actor.guildId, argument);
        yield* showCode(services, { actor, signal }, binding);
      },
    }),
    "me-unlink": defineAction({
      first: "update",
      execute: ({ actor }, services) => undo(services, actor, actor.userId),
    }),
  },
});
