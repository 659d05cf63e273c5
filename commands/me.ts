import { ApplicationCommandOptionType } from "discord.js";
import {
  defineAction,
  defineCommand,
  defineEntry,
  type Invocation,
  type NamedPerson,
  type Reply,
} from "../src/discord/command.ts";
import { inlineName } from "../src/discord/render/escape.ts";
import { accountCard, codeCard, codeOutcomeCard } from "../src/discord/render/me-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { md, userMention } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type { LinkOutcome } from "../src/domain/ports/game-accounts.ts";
import { completeStaffPlayer } from "./live-players.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { mustBeManager, staffedServers } from "./staff-rights.ts";

/** Which player a member is, so that runs and cards can act for the player. */

const { String: text, User: user } = ApplicationCommandOptionType;

interface LinkArgs {
  readonly server: string | undefined;
  readonly member: NamedPerson | undefined;
  readonly player: string | undefined;
}

const link = defineEntry<LinkArgs>({
  description: "Link your game account by a code that you type in the game",
  first: "ephemeral",
  options: [
    serverOption,
    { type: user, name: "member", description: "Somebody else, by your word (Managers)" },
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
    typing.option === "server" ? completeServer(typing, services) : completeStaffPlayer(typing, services),
  async *execute({ actor, args, signal }, services) {
    const { member, player } = args;
    if (member !== undefined || player !== undefined) {
      yield await vouch(services, actor, args);
      return;
    }
    yield* showCode(services, { actor, signal }, await services.bindings.pick(actor.guildId, args.server));
  },
});

/** Shows a fresh code, and then its outcome. */
async function* showCode(
  services: Services,
  { actor, signal }: Pick<Invocation<unknown>, "actor" | "signal">,
  binding: Binding,
): AsyncGenerator<Reply> {
  const code = await services.accounts.begin(actor, binding);
  yield codeCard(code, binding.name);
  const stopped = new Promise<LinkOutcome>((resolve) => {
    signal.addEventListener("abort", () => resolve({ kind: "withdrawn" }), { once: true });
  });
  const outcome = await Promise.race([code.outcome, stopped]);
  yield { ...codeOutcomeCard(outcome, binding.id), important: outcome.kind === "linked" };
}

/** Links another member's account by the word of a Manager. */
async function vouch(services: Services, actor: Actor, { member, player, server }: LinkArgs): Promise<Reply> {
  await mustBeManager(services, actor, "Only Managers link somebody else's account.");
  if (member === undefined || player === undefined || player === "") {
    throw new Failure("bad-command", "To link somebody else, name both: member: and player:.");
  }
  const binding = await services.bindings.pick(actor.guildId, server);
  const known = services.permissions.findPlayer(binding, player);
  if (known === undefined) {
    throw new Failure(
      "bad-command",
      `"${player}" was not seen on ${binding.name}. Try again while they are in it.`,
    );
  }
  await services.accounts.vouch(actor, member.userId, known);
  return { content: md`✅ ${userMention(member.userId)} is **${inlineName(known.name)}** in the game.` };
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
  description: "Which game account is linked to you",
  first: "ephemeral",
  options: [{ type: user, name: "member", description: "Somebody else (staff)" }],
  parse: memberOption.parse,
  async execute({ actor, args: { memberId = actor.userId } }, services) {
    const isOwn = memberId === actor.userId;
    if (!isOwn && !actor.manageGuild && (await staffedServers(services, actor)).length === 0) {
      throw new Failure("denied", "Only staff see the accounts of others.", { wants: "tier", isRead: true });
    }
    const account = await services.accounts.of(actor.guildId, memberId);
    const servers = await services.bindings.list(actor.guildId);
    const bindingId = servers.length === 1 ? servers[0]?.id : undefined;
    return accountCard({ userId: memberId, account, isOwn, bindingId });
  },
});

const unlink = defineEntry<MemberArgs>({
  description: "Undo the link to your game account",
  first: "ephemeral",
  options: [{ type: user, name: "member", description: "Somebody else (Managers)" }],
  parse: memberOption.parse,
  execute: ({ actor, args }: Invocation<MemberArgs>, services) =>
    undo(services, actor, args.memberId ?? actor.userId),
});

async function undo(services: Services, actor: Actor, memberId: string): Promise<Reply> {
  if (memberId !== actor.userId) {
    await mustBeManager(services, actor, "Only Managers unlink somebody else's account.");
  }
  const gone = await services.accounts.unlink(actor, memberId);
  const whose = memberId === actor.userId ? md`You have` : md`${userMention(memberId)} has`;
  if (gone === undefined) return { content: md`${whose} no game account linked.` };
  const words = memberId === actor.userId ? md`linked to you` : md`linked to ${userMention(memberId)}`;
  return { content: md`✅ **${inlineName(gone.player.name)}** is no longer ${words}.` };
}

export const me = defineCommand({
  name: "me",
  description: "Your own account in the game",
  subcommands: { link, show, unlink },
  actions: {
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
