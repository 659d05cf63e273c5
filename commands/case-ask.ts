import { ApplicationCommandOptionType } from "discord.js";
import { defineAction, defineEntry, type Press, type Reply } from "../src/discord/command.ts";
import { askedBanCard, askedBanOver, askedBanRefused } from "../src/discord/render/asked-ban-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { type AskedBan, askedText } from "../src/domain/asked-ban.ts";
import { withNames } from "../src/domain/command-names.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { SubmittedRun } from "../src/domain/run.ts";
import { recordEvent } from "./audit-event.ts";
import { notePress } from "./before-form.ts";
import { moderatedServers, serverMeant } from "./moderated-servers.ts";
import { chooseWholeName, completePlayer, playerOption } from "./player-choice.ts";
import { follow } from "./run-follow.ts";
import { completeServer, serverOption } from "./server-option.ts";

/** `/case ask`: a ban that somebody else approves by one press. For Moderators who may not ban. */

const { String: text } = ApplicationCommandOptionType;
export const LONGEST_ASKED_REASON = 200;

interface AskArgs {
  readonly player: string;
  readonly reason: string;
  readonly server: string | undefined;
}

export const askForBan = defineEntry<AskArgs>({
  description: "Ask for a ban that somebody else approves",
  first: "public",
  options: [
    playerOption,
    {
      type: text,
      name: "reason",
      description: "Why. It is sent with the ban",
      required: true,
      max_length: LONGEST_ASKED_REASON,
    },
    serverOption,
  ],
  serverIsFilter: true,
  parse: (options) => ({
    player: options.string("player", true),
    reason: options.string("reason", true).trim(),
    server: options.string("server"),
  }),
  autocomplete: (typing, services) =>
    typing.option === "server" ? completeServer(typing, services) : completePlayer(typing, services),
  async execute({ actor, args }, services) {
    const servers = await moderatedServers(services, actor);
    if (args.reason === "") throw new Failure("bad-command", "Write a reason.");
    const { player, live } = await chooseWholeName(services, actor, { typed: args.player, servers });
    const binding = serverMeant(servers, args.server) ?? live?.binding;
    if (binding === undefined)
      throw new Failure("bad-command", "Several servers are linked. Choose one with server:.");
    return await askToBan(services, actor, { binding, player, reason: args.reason });
  },
});

/** Posts the question. @throws Failure as `AskedBans.ask` does. */
export async function askToBan(
  services: Services,
  actor: Actor,
  wanted: Parameters<Services["askedBans"]["ask"]>[1],
): Promise<Reply> {
  const asked = await services.askedBans.ask(actor, wanted);
  await recordEvent(services, actor, {
    action: "ban-ask",
    text: withNames(askedText(asked), [asked.player]),
  });
  return await cardOf(services, asked);
}

async function cardOf(services: Services, asked: AskedBan): Promise<Reply> {
  return askedBanCard(asked, await services.askedBans.approverRoles(asked));
}

async function* approve(
  { actor, argument, messageId, ...on }: Press,
  services: Services,
): AsyncGenerator<Reply> {
  const { askedBans } = services;
  const asked = askedBans.get(actor.guildId, argument);
  if (asked?.askerId === actor.userId) {
    // The question is for others: it stays as it is.
    yield { content: md`✋ You asked for this ban, so somebody else has to approve it.`, ephemeral: true };
    return;
  }
  let submitted: SubmittedRun;
  try {
    submitted = await noted(services, { actor, asked, what: "approve" }, () =>
      askedBans.approve(actor, argument),
    );
  } catch (error) {
    const isOver = asked !== undefined && askedBans.get(actor.guildId, argument) === undefined;
    if (!(error instanceof Failure) || !isOver) throw error;
    // It can't be approved any more: the question goes, and says why.
    yield { ...askedBanOver(asked, error.message, { mayAskAgain: false }), cards: [], rows: [] };
    return;
  }
  await recordEvent(services, actor, { action: "ban-approve", text: asked?.player.name ?? argument });
  yield* follow(services, submitted, { actor, ...on });
  await submitted.outcome;
  const waiting = await askedBans.showWaiting(actor, argument, messageId);
  if (waiting !== undefined) yield await cardOf(services, waiting);
}

/** Who may not answer is found in the audit, as whoever else is refused a press. */
async function noted<T>(
  services: Services,
  {
    actor,
    asked,
    what,
  }: { readonly actor: Actor; readonly asked: AskedBan | undefined; readonly what: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && error.code === "denied" && asked !== undefined)
      notePress(services, actor, `${what} the ban of ${asked.player.name} on ${asked.serverName}`);
    throw error;
  }
}

async function refuse({ actor, argument }: Press, services: Services): Promise<Reply> {
  const waiting = services.askedBans.get(actor.guildId, argument);
  const asked = await noted(services, { actor, asked: waiting, what: "refuse" }, () =>
    services.askedBans.refuse(actor, argument),
  );
  await recordEvent(services, actor, { action: "ban-refuse", text: asked.player.name });
  return askedBanRefused(asked, actor.userId);
}

export const askActions = {
  /** In the list of bans: only staff see those of their servers. */
  "case-ban-open": defineAction({
    first: "ephemeral",
    async execute({ actor, values }, services) {
      const servers = new Set((await moderatedServers(services, actor)).map(({ id }) => id));
      const asked = services.askedBans.get(actor.guildId, values[0] ?? "");
      if (asked === undefined || !servers.has(asked.bindingId))
        throw new Failure("expired", "This was answered already, or is too old.");
      return await cardOf(services, asked);
    },
  }),
  "case-ban-yes": defineAction({ first: "update", runs: true, execute: approve }),
  "case-ban-no": defineAction({ first: "update", execute: refuse }),
};
