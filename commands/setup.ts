import { ApplicationCommandOptionType, ChannelType } from "discord.js";
import {
  defineAction,
  defineCommand,
  defineEntry,
  defineFormAction,
  defineFormEntry,
  type Form,
  type Press,
  type Reply,
  type Services,
} from "../src/discord/command.ts";
import { plainText } from "../src/discord/render/escape.ts";
import { isThisYours, linkedCard, setupCard, unlinkQuestion } from "../src/discord/render/setup-cards.ts";
import { channelMention, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import { type Actor, type Binding, emptyPolicy, type GuildSettings } from "../src/domain/guild.ts";
import type { ServerStatus } from "../src/domain/model.ts";
import { ServerKey } from "../src/domain/secret.ts";
import { completeServer, serverOption } from "./server-option.ts";

const longestKey = 200;

const keyForm: Form = {
  id: "setup-key",
  title: "Link your game server",
  intro: md`The server's owner finds the key in the game: private server settings, API. It is sealed and never shown again. Nothing is saved before you have seen whose server it is.`,
  fields: [
    { kind: "text", id: "key", label: "Server key", placeholder: "Paste it here", maxLength: 400 },
    {
      kind: "role",
      id: "staff",
      label: "Staff role",
      description: "May run in-game commands as moderators; more with /staff later",
      maxValues: 5,
    },
  ],
};

/**
 * What was pasted, without what pasting adds: spaces, line breaks, quotes, invisible characters.
 * Keys have no known shape, so only what cannot stand in a header is refused.
 */
export function cleanKey(pasted: string): string {
  const bare = plainText(pasted)
    .replace(/\s+/g, "")
    .replace(/^["'`“”‘’«»<]+|["'`“”‘’«»>]+$/g, "")
    .replace(/^(server[-_]?)?key[:=]["'`]?/i, "");
  if (bare === "") throw new Failure("bad-command", "No key was given.");
  if (bare.length > longestKey) throw new Failure("bad-command", "This is too long to be a server key.");
  if (/^https?:/i.test(bare)) throw new Failure("bad-command", "This is a link, not a server key.");
  if (!/^[\x21-\x7e]+$/.test(bare)) {
    throw new Failure(
      "bad-command",
      "This holds characters that a server key never has; copy the key alone.",
    );
  }
  return bare;
}

/** The same server under another key: its owner made a new one. */
function sameServer(status: ServerStatus, bindings: readonly Binding[]): Binding | undefined {
  return bindings.find(({ ownerId, joinKey }) => ownerId === status.ownerId && joinKey === status.joinKey);
}

async function proveKey({ actor, form }: Press, services: Services): Promise<Reply> {
  const pasted = form.text("key").trim();
  if (pasted !== "") services.hideSecret(pasted);
  const text = cleanKey(pasted);
  services.hideSecret(text);
  const key = new ServerKey(text);
  const source = services.sourceOf(key);
  const linked = await services.bindings.list(actor.guildId);
  const known = linked.find((binding) => binding.source === source);
  if (known !== undefined && services.health.parked(source) === undefined) {
    throw new Failure("bad-command", `This key is linked here already, as "${known.name}".`);
  }
  services.pendingLinks.checkRoom(actor.guildId, actor.userId);
  const status = await services.prover.prove(key, actor.guildId);
  await services.bindings.checkRoom(actor.guildId, status);
  const roleIds = form.chosen("staff").filter((id) => id !== actor.guildId);
  const { guildId, userId } = actor;
  const pendingId = services.pendingLinks.put({ key, status, guildId, userId, roleIds });
  return isThisYours(status, pendingId, roleIds, sameServer(status, linked));
}

async function link({ actor, argument }: Press, services: Services): Promise<Reply> {
  const pending = services.pendingLinks.take(argument, actor);
  if (pending === undefined) {
    throw new Failure(
      "expired",
      "The key was forgotten: five minutes have passed, it was answered already, or you typed another since.",
    );
  }
  const { key, status, roleIds } = pending;
  const { binding, replaced } = await services.bindings.link({
    guildId: actor.guildId,
    key,
    status,
    byUserId: actor.userId,
  });
  await services.settings.change(actor.guildId, (settings) => withModerators(settings, binding.id, roleIds));
  await note(services, actor, "link", `${binding.name}${replaced === undefined ? "" : " (key replaced)"}`);
  if (replaced !== undefined && replaced !== binding.source)
    await services.onReplaced(replaced, binding.source);
  const { feedsBack } = await services.onLinked(binding);
  return { cards: [linkedCard({ binding, roleIds, replaced: replaced !== undefined, feedsBack })] };
}

/** A role that holds a higher tier keeps it: linking again must not lower anybody. */
function withModerators(
  settings: GuildSettings,
  bindingId: string,
  roleIds: readonly string[],
): GuildSettings {
  const policy = settings.policies[bindingId] ?? emptyPolicy;
  const raised = roleIds.filter((id) => (policy.roleTiers[id] ?? "viewer") === "viewer");
  const moderators = Object.fromEntries(raised.map((id) => [id, "moderator" as const]));
  const roleTiers = { ...policy.roleTiers, ...moderators };
  return { ...settings, policies: { ...settings.policies, [bindingId]: { ...policy, roleTiers } } };
}

async function unlink({ actor, argument }: Press, services: Services): Promise<Reply> {
  const binding = await services.bindings.unlink(actor.guildId, argument);
  if (binding === undefined) throw new Failure("not-linked", "It was unlinked already.");
  await services.settings.change(actor.guildId, (settings) => {
    const { [binding.id]: _, ...policies } = settings.policies;
    return { ...settings, policies };
  });
  await note(services, actor, "unlink", binding.name);
  await services.onUnlinked(binding);
  return { content: md`Unlinked. Its key is erased here, and its feeds have stopped.` };
}

async function note(
  { audit, clock, random }: Services,
  actor: Actor,
  action: string,
  text: string,
): Promise<void> {
  const { guildId, userId, userName } = actor;
  const id = random.id();
  await audit.event({ id, guildId, atMs: clock.nowMs(), actorId: userId, actorName: userName, action, text });
}

export const setup = defineCommand({
  name: "setup",
  description: "Link your game server and choose where notices go",
  manageGuild: true,
  subcommands: {
    link: defineFormEntry<undefined>({
      description: "Link a game server by its key, or give a linked one its new key",
      first: "modal",
      parse: () => undefined,
      form: () => keyForm,
    }),
    unlink: defineEntry<string | undefined>({
      description: "Unlink a game server: its key is erased, its feeds stop",
      first: "ephemeral",
      options: [serverOption],
      parse: (options) => options.string("server"),
      autocomplete: completeServer,
      execute: async ({ actor, args }, { bindings }) =>
        unlinkQuestion(await bindings.pick(actor.guildId, args)),
    }),
    show: defineEntry<undefined>({
      description: "What is linked, by whom, and who may run commands",
      first: "ephemeral",
      parse: () => undefined,
      async execute({ actor }, { bindings, settings, health }) {
        const servers = (await bindings.list(actor.guildId)).map((binding) => ({
          binding,
          parkedWhy: health.parked(binding.source)?.why,
        }));
        return { cards: [setupCard(servers, await settings.of(actor.guildId))] };
      },
    }),
    notices: defineEntry<string | undefined>({
      description:
        "Where Marshal tells you about rejected keys, blocks and closed feeds; without a channel: by DM",
      first: "ephemeral",
      options: [
        {
          type: ApplicationCommandOptionType.Channel,
          name: "channel",
          description: "A channel that your staff reads",
          channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
        },
      ],
      parse: (options) => options.id("channel"),
      async execute({ actor, args: noticeChannelId }, services) {
        await services.settings.change(actor.guildId, ({ noticeChannelId: _, ...rest }) =>
          noticeChannelId === undefined ? rest : { ...rest, noticeChannelId },
        );
        await note(
          services,
          actor,
          "notices",
          noticeChannelId === undefined ? "by direct message" : channelMention(noticeChannelId),
        );
        return {
          content:
            noticeChannelId === undefined
              ? md`Notices go by direct message to whoever linked the server.`
              : md`Notices go to ${channelMention(noticeChannelId)}.`,
        };
      },
    }),
  },
  actions: {
    /** The button under errors that a new key would mend. */
    "setup-link": defineFormAction({ first: "modal", manageGuild: true, form: () => keyForm }),
    "setup-key": defineAction({ first: "ephemeral", manageGuild: true, execute: proveKey }),
    "setup-yes": defineAction({ first: "update", manageGuild: true, execute: link }),
    "setup-no": defineAction({
      first: "update",
      execute({ actor, argument }, { pendingLinks }) {
        pendingLinks.take(argument, actor);
        return { content: md`Nothing was saved, and the key is forgotten.` };
      },
    }),
    "setup-unlink": defineAction({ first: "update", manageGuild: true, execute: unlink }),
    "setup-keep": defineAction({ first: "update", execute: () => ({ content: md`Nothing was changed.` }) }),
  },
});
