import { defineAction, defineFormAction, type Form, type Press, type Reply } from "../src/discord/command.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import { termField, termOf } from "./ban-term.ts";
import { refuseBeforeForm, refuseUnlessModerator } from "./before-form.ts";
import { askToBan, LONGEST_ASKED_REASON } from "./case-ask.ts";
import { reasonForm, write } from "./case-flow.ts";
import { formTitle, nameInMemory } from "./form-title.ts";
import { oneTarget } from "./one-target.ts";
import { livePlayers } from "./player-choice.ts";
import { placeOf, playerAt } from "./player-show.ts";
import { endWatch, watchForm, watchPlayer } from "./player-watch.ts";
import { ask } from "./run-flow.ts";

/** What the buttons on the card of a player do: in the game by /run's checks, in the books by cases and watches. */

const IN_GAME = {
  pm: {
    title: "Message",
    label: "What they read in the game",
    required: true,
    description: "Sent as a :pm from the server",
  },
  kick: {
    title: "Kick",
    label: "Reason",
    required: false,
    description: "They read it, and staff see it on the case",
  },
  jail: {
    title: "Jail",
    label: "Reason",
    required: false,
    description: "Staff see it on the case",
  },
  ban: {
    title: "Ban",
    label: "Reason",
    required: false,
    description: "Staff see it on the case. You confirm the ban once more",
  },
} as const;

type GameVerb = keyof typeof IN_GAME;

function gameForm(verb: GameVerb, place: string, name: string | undefined): Form {
  const { title, label, required, description } = IN_GAME[verb];
  return {
    id: `player-${verb}-sent:${place}`,
    title: formTitle(title, name),
    fields: [
      { kind: "text", id: "text", label, required, description, maxLength: 200 },
      ...(verb === "ban" ? [termField] : []),
    ],
  };
}

async function* act(verb: GameVerb, press: Press, services: Services): AsyncGenerator<Reply> {
  try {
    yield* send(verb, press, services);
  } catch (error) {
    throw error instanceof Failure ? await withTyped(error, { verb, press }, services) : error;
  }
}

/** A form can't be opened again with what was typed: where that was not sent, the answer keeps it. */
async function withTyped(
  failure: Failure,
  { verb, press }: { readonly verb: GameVerb; readonly press: Press },
  services: Services,
): Promise<Failure> {
  const words = press.form.text("text").trim();
  if (failure.ran !== "no" || failure.command !== undefined || words === "") return failure;
  const { bindingId } = placeOf(press.argument);
  const linked = await services.bindings.list(press.actor.guildId).catch(() => []);
  const serverName = (linked.find(({ id }) => id === bindingId) ?? linked[0])?.name;
  if (serverName === undefined) return failure;
  const command = { text: `:${verb} ${nameOf(press, services) ?? "player"} ${words}`, serverName };
  return new Failure(failure.code, failure.message, { ...failure, isRead: false, command, cause: failure });
}

async function* send(verb: GameVerb, press: Press, services: Services): AsyncGenerator<Reply> {
  const { player, live, binding } = await playerAt(services, press.actor, placeOf(press.argument));
  if (binding === undefined) {
    throw new Failure("bad-command", "Several servers are linked. Use /run command and name one.");
  }
  const words = press.form.text("text").trim();
  const { actor } = press;
  const term = verb === "ban" ? await termOf(services, actor, press.form.text("until")) : undefined;
  // A ban reaches who is not there, whose name may be the beginning of somebody else's.
  const isById = verb === "ban" && (live === undefined || term !== undefined);
  const target = isById ? String(player.id) : oneTarget(player.name);
  const text = `:${verb} ${target}${words === "" ? "" : ` ${words}`}`;
  // Whom a ban with an end is for is found out with its end.
  const only = term === undefined ? player : undefined;
  yield* ask(services, { actor, binding, text, origin: "button", only, term, on: press });
}

/**
 * On the server that `playerAt` would find for what is submitted, as far as memory tells.
 * @returns the player's name, where it is known
 */
function refuseVerb(verb: GameVerb, press: Press, services: Services): string | undefined {
  const { actor, argument } = press;
  const { bindingId, playerId } = placeOf(argument);
  const linked = services.bindings.linkedOf(actor.guildId);
  const moderated = linked.filter(
    ({ id }) => services.permissions.known(actor, id)?.moderator().allowed !== false,
  );
  const servers = moderated.length === 0 ? linked : moderated;
  const all = livePlayers(services, servers).filter(({ player }) => player.id === playerId);
  const live = all.find(({ binding }) => binding.id === bindingId) ?? all[0];
  const meant = live?.binding ?? servers.find(({ id }) => id === bindingId);
  const name = nameOf(press, services);
  const what = `:${verb} ${name ?? "on the card of a player"}`;
  refuseBeforeForm(services, press, {
    bindingIds: (meant === undefined ? servers : [meant]).map(({ id }) => id),
    decide: (rights) => rights.verb(`:${verb} player`),
    what,
  });
  refuseUnlessModerator(services, press, what);
  if (live !== undefined) oneTarget(live.player.name);
  return name;
}

function nameOf({ actor, argument }: Press, services: Services): string | undefined {
  return nameInMemory(services, { guildId: actor.guildId, argument });
}

function inGame<V extends GameVerb>(verb: V) {
  return {
    [`player-${verb}`]: defineFormAction({
      first: "modal",
      form(press, services) {
        return gameForm(verb, press.argument, refuseVerb(verb, press, services));
      },
    }),
    [`player-${verb}-sent`]: defineAction({
      first: "ephemeral",
      runs: true,
      execute: (press, services) => act(verb, press, services),
    }),
  };
}

async function writeOf(kind: "note" | "warning", press: Press, services: Services): Promise<Reply> {
  const { player, live, binding } = await playerAt(services, press.actor, placeOf(press.argument));
  const reason = press.form.text("reason").trim();
  if (reason === "") throw new Failure("bad-command", "Write a reason.");
  const { actor, answer } = press;
  return await write(services, actor, { kind, player, binding: live?.binding ?? binding, reason, answer });
}

export const playerActs = {
  ...inGame("pm"),
  ...inGame("kick"),
  ...inGame("jail"),
  ...inGame("ban"),
  "player-note": defineFormAction({
    first: "modal",
    form(press, services) {
      refuseUnlessModerator(services, press, "a note about a player");
      return reasonForm(`player-noted:${press.argument}`, formTitle("Note about", nameOf(press, services)));
    },
  }),
  "player-noted": defineAction({
    first: "ephemeral",
    execute: (press, services) => writeOf("note", press, services),
  }),
  "player-warn": defineFormAction({
    first: "modal",
    form(press, services) {
      refuseUnlessModerator(services, press, "a warning to a player");
      return reasonForm(`player-warned:${press.argument}`, formTitle("Warn", nameOf(press, services)));
    },
  }),
  "player-warned": defineAction({
    first: "ephemeral",
    execute: (press, services) => writeOf("warning", press, services),
  }),
  "player-ask": defineFormAction({
    first: "modal",
    form(press, services) {
      refuseUnlessModerator(services, press, "to ask for a ban");
      const label = { kind: "text", id: "reason", label: "Reason", maxLength: LONGEST_ASKED_REASON } as const;
      const description = "It is sent with the ban. Somebody else who may ban approves it";
      const title = formTitle("Ask for a ban of", nameOf(press, services));
      return { id: `player-asked:${press.argument}`, title, fields: [{ ...label, description }] };
    },
  }),
  "player-asked": defineAction({
    first: "public",
    async execute({ actor, argument, form }, services) {
      const { player, live, binding = live?.binding } = await playerAt(services, actor, placeOf(argument));
      const reason = form.text("reason").trim();
      if (reason === "") throw new Failure("bad-command", "Write a reason.");
      if (binding === undefined)
        throw new Failure("bad-command", "Several servers are linked. Use /case ask and name one.");
      return await askToBan(services, actor, { binding, player, reason });
    },
  }),
  "player-watch": defineFormAction({
    first: "modal",
    form(press, services) {
      refuseUnlessModerator(services, press, "to watch a player");
      return watchForm(press.argument, formTitle("Watch", nameOf(press, services)));
    },
  }),
  "player-watched": defineAction({
    first: "ephemeral",
    async execute({ actor, argument, form }, services) {
      const { player } = await playerAt(services, actor, placeOf(argument));
      return await watchPlayer(services, actor, {
        player,
        reason: form.text("reason"),
        until: form.text("until"),
      });
    },
  }),
  "player-unwatch": defineAction({
    first: "ephemeral",
    async execute({ actor, argument }, services) {
      const { player } = await playerAt(services, actor, placeOf(argument));
      return await endWatch(services, actor, player.id);
    },
  }),
};
