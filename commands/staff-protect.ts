import { ApplicationCommandOptionType } from "discord.js";
import { defineEntry, type Typing } from "../src/discord/command.ts";
import { inlineName } from "../src/discord/render/escape.ts";
import { protectedName } from "../src/discord/render/staff-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, joined, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Binding, StaffPolicy } from "../src/domain/guild.ts";
import type { PlayerRef } from "../src/domain/model.ts";
import { recordEvent } from "./audit-event.ts";
import { changePolicy, policyChanged } from "./change-policy.ts";
import { livePlayerChoices, serverBeingTyped } from "./live-players.ts";
import { findPlayer } from "./player-choice.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { withoutProtected, withProtected } from "./staff-policy.ts";

/** `/staff protect`: players whom nobody may target. */

const { String: text, Boolean: flag } = ApplicationCommandOptionType;

/** Players who are there; for holders of Manage Guild, staff or not, since nobody else reaches this command. */
async function completeProtected(typing: Typing, services: Services) {
  return livePlayerChoices(services, await serverBeingTyped(typing, services), typing.typed);
}

/** By a whole name or an id. After a restart the history may know who is there before the lists of the server are read again. */
async function knownPlayer(services: Services, binding: Binding, typed: string) {
  const here = services.permissions.findPlayer(binding, typed);
  if (here !== undefined) return here;
  const choice = await findPlayer(services, binding, { typed, servers: [binding] });
  if (choice.kind !== "one") return undefined;
  // Whose name only begins so, and who only had it once, need not be the one who is meant.
  const { player } = choice;
  const isSame = player.name.toLowerCase() === typed.toLowerCase() || String(player.id) === typed;
  return isSame ? player : undefined;
}

/** Whose name was meant, where nobody has the typed one: a slip of the keys protects nobody, and looks as if it did. */
async function meantLine(services: Services, binding: Binding, typed: string): Promise<Escaped> {
  const choice = await findPlayer(services, binding, { typed, servers: [binding] });
  const other = choice.kind === "one" ? [choice.player] : [];
  const near = choice.kind === "nobody" ? choice.near : other;
  if (near.length === 0) return md``;
  const names = near.map(({ name }) => md`**${inlineName(name)}**`);
  return md`\nDid you mean ${joined(names, " or ")}? Protect that name, and take this one back with \`remove:\`.`;
}

/** @throws Failure "bad-command" for who was not protected: a slip of the keys takes nothing back, and looks as if it did. */
function unprotected(
  policy: StaffPolicy,
  {
    player,
    known,
    binding,
  }: {
    readonly player: string;
    readonly known: Required<PlayerRef> | undefined;
    readonly binding: Binding;
  },
): StaffPolicy {
  const after = withoutProtected(policy, player, known);
  if (after.protectedPlayers.length < policy.protectedPlayers.length) return after;
  throw new Failure("bad-command", `${player} is not protected on ${binding.name}. See /staff list.`);
}

interface ProtectArgs {
  readonly player: string;
  readonly remove: boolean;
  readonly server: string | undefined;
}

export const protect = defineEntry<ProtectArgs>({
  description: "Protect a player from kicks, bans, jail and moves",
  first: "ephemeral",
  options: [
    {
      type: text,
      name: "player",
      description: "Name or id",
      required: true,
      autocomplete: true,
      max_length: 60,
    },
    { type: flag, name: "remove", description: "Stop protecting them" },
    serverOption,
  ],
  parse: (options) => ({
    player: options.string("player", true).trim(),
    remove: options.boolean("remove") ?? false,
    server: options.string("server"),
  }),
  autocomplete: (typing, services) =>
    typing.option === "server" ? completeServer(typing, services) : completeProtected(typing, services),
  async execute({ actor, args }, services) {
    const { player, remove } = args;
    if (!/^\w+$/.test(player)) throw new Failure("bad-command", "Give one player's full name or id.");
    const binding = await services.bindings.pick(actor.guildId, args.server);
    const known = await knownPlayer(services, binding, player);
    const isId = /^\d+$/.test(player);
    const shown = isId ? protectedName(player, known?.name) : inlineName(known?.name ?? player);
    await changePolicy(services, { actor, binding }, (policy) =>
      remove ? unprotected(policy, { player, known, binding }) : withProtected(policy, player, known),
    );
    await recordEvent(services, actor, {
      action: remove ? "staff-unprotect" : "staff-protect",
      text: `${player} on ${binding.name}`,
    });
    if (remove) return policyChanged(binding, md`**${shown}** is no longer protected.`);
    const also = known === undefined ? "" : md` This also holds after a name change.`;
    const other = isId ? "name" : "id";
    const unseen =
      known === undefined
        ? md`\n⚠ Marshal doesn't know their ${other} yet. Protect that too.${await meantLine(services, binding, player)}`
        : "";
    return policyChanged(
      binding,
      md`**${shown}** is protected. Nobody can kick, ban, jail or move them.${also}${unseen}`,
    );
  },
});
