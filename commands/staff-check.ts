import { ApplicationCommandOptionType } from "discord.js";
import { defineEntry, type NamedPerson } from "../src/discord/command.ts";
import { type Checked, checkCard } from "../src/discord/render/staff-cards.ts";
import { Failure } from "../src/domain/failure.ts";
import { serverBeingTyped } from "./live-players.ts";
import { completeServer, serverOption } from "./server-option.ts";

/** `/staff check`: why somebody may, or may not, run a command. */

const { String: text, User: user } = ApplicationCommandOptionType;

interface CheckArgs {
  readonly person: NamedPerson | undefined;
  readonly command: string;
  readonly server: string | undefined;
}

export const check = defineEntry<CheckArgs>({
  description: "Check whether somebody can run a command, and why",
  first: "ephemeral",
  options: [
    { type: user, name: "person", description: "Who", required: true },
    {
      type: text,
      name: "command",
      description: "For example :ban name",
      required: true,
      autocomplete: true,
      max_length: 1_000,
    },
    serverOption,
  ],
  parse: (options) => ({
    person: options.person("person"),
    command: options.string("command", true).trim(),
    server: options.string("server"),
  }),
  async autocomplete(typing, services) {
    if (typing.option === "server") return completeServer(typing, services);
    const source = (await serverBeingTyped(typing, services))?.source;
    return services.catalogue.complete(source, typing.typed, () => true);
  },
  async execute({ actor, args }, services) {
    if (args.person === undefined) throw new Failure("bad-command", "They are not in this Discord server.");
    const binding = await services.bindings.pick(actor.guildId, args.server);
    const account = await services.accounts.of(actor.guildId, args.person.userId);
    const asked = { ...actor, ...args.person, ownPlayerId: account?.player.id };
    const command = args.command.startsWith(":") ? args.command : `:${args.command}`;
    const decided = await services.permissions.decide(asked, binding, command);
    // The reason speaks to the person who would run it; here somebody else reads it.
    const why = decided.why.replace("outranks you", "outranks them").replace("is your own", "is their own");
    const decision = { ...decided, why };
    const rights = services.permissions.known(asked, binding.id);
    const meant = services.catalogue.nearest(command, (verb) => rights?.verb(verb).allowed !== false);
    const { userId, roleIds } = asked;
    const checked: Checked = { userId, command, binding, decision, roleIds, meant };
    return { cards: [checkCard(checked)] };
  },
});
