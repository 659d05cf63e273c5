import { type APIApplicationCommandStringOption, ApplicationCommandOptionType } from "discord.js";
import {
  type Choice,
  defineAction,
  defineEntry,
  type Options,
  type Press,
  type Reply,
  type Typing,
} from "../src/discord/command.ts";
import {
  callsPage,
  claimedIn,
  LOG_KINDS,
  type LogKind,
  logsPage,
} from "../src/discord/render/server/events.ts";
import { type ListView, queuePage, staffPage, vehiclesPage } from "../src/discord/render/server/lists.ts";
import { type Place, placeOf } from "../src/discord/render/server/pages.ts";
import { playersPage } from "../src/discord/render/server/players.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { MessageBody } from "../src/domain/message.ts";
import type { ListName, ServerState } from "../src/domain/model.ts";
import { namesOf } from "../src/domain/names-of.ts";
import { knownNames } from "./known-names.ts";
import { mustTakeCalls } from "./may-take-calls.ts";
import { actOn } from "./mod-calls.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { serverStates } from "./server-state.ts";

/** `/server players | staff | vehicles | queue | calls | logs`: pages whose buttons read the server again. */

interface List {
  /** The lists that one answer must hold. */
  lists(filter: string): readonly ListName[];
  /** For people who may take calls, by this name: what it says about others is not everybody's business. */
  readonly forModerators?: string;
  page(view: ListView, services: Services, actor: Actor): MessageBody | Promise<MessageBody>;
}

const LISTS: Readonly<Record<string, List>> = {
  players: {
    lists: () => ["players"],
    page: (view) => playersPage({ ...view, players: view.state.lists.players?.value ?? [] }),
  },
  staff: {
    lists: () => ["staff", "players"],
    page: (view) => staffPage(view.state.lists.staff?.value ?? NO_STAFF, view),
  },
  vehicles: {
    lists: () => ["vehicles", "players"],
    page: (view) => vehiclesPage(view.state.lists.vehicles?.value ?? [], view),
  },
  queue: {
    lists: () => ["queue"],
    page: (view) => queuePage(view.state.lists.queue?.value ?? [], view),
  },
  calls: {
    lists: () => ["modCalls", "emergencyCalls", "players"],
    forModerators: "/server calls",
    page: async (view, services, { guildId, manageGuild }) => {
      const { modCalls, feeds } = services;
      const { bindingId } = view.place;
      const all = await feeds.list(guildId);
      return callsPage({
        ...view,
        state: modCalls.withoutResolved(bindingId, view.state),
        cards: modCalls.openCards(bindingId),
        logs: all.filter((feed) => feed.kind === "modCalls" && feed.bindingId === bindingId),
        maySetUp: manageGuild,
        names: await callerNames(services, guildId, view.state),
      });
    },
  },
  logs: {
    lists: (filter) => [LOG_KINDS[kindOf(filter)].list],
    forModerators: "/server logs",
    page: (view) => logsPage(kindOf(view.place.filter), view),
  },
};

/** Names by id of who made emergency calls: the lists of the server lack those who left long ago. */
async function callerNames(
  services: Services,
  guildId: string,
  state: ServerState,
): Promise<ReadonlyMap<number, string>> {
  const shown = namesOf(state);
  const callers = (state.lists.emergencyCalls?.value ?? []).flatMap(({ callerId }) => callerId ?? []);
  const missing = callers.filter((id) => !shown.has(id));
  return new Map([...shown, ...(await knownNames(services, guildId, missing))]);
}

const NO_STAFF = { admins: new Map(), mods: new Map(), helpers: new Map() } as const;

function kindOf(filter: string): LogKind {
  return isKind(filter) ? filter : "joins";
}

function isKind(text: string): text is LogKind {
  return Object.hasOwn(LOG_KINDS, text);
}

async function* listReplies(
  services: Services,
  { actor, signal }: Pick<Press, "actor" | "signal">,
  place: Place & { readonly page: number },
): AsyncGenerator<Reply> {
  const list = Object.hasOwn(LISTS, place.list) ? LISTS[place.list] : undefined;
  if (list === undefined) throw new Failure("expired", "That list no longer exists.", { isRead: true });
  const binding = await services.bindings.pick(actor.guildId, place.bindingId);
  if (list.forModerators !== undefined) await mustTakeCalls(services, { actor, binding }, list.forModerators);
  const lists = list.lists(place.filter);
  for await (const { state, seen } of serverStates(services, { binding, lists, signal })) {
    const view = { state, place: { ...place, bindingId: binding.id }, page: place.page, seen };
    yield await list.page(view, services, actor);
  }
}

interface ListArgs {
  readonly server: string | undefined;
  readonly filter: string;
}

export const teamOption: APIApplicationCommandStringOption = {
  type: ApplicationCommandOptionType.String,
  name: "team",
  description: "Only this team",
  autocomplete: true,
  max_length: 40,
};

const kindOption: APIApplicationCommandStringOption = {
  type: ApplicationCommandOptionType.String,
  name: "kind",
  description: "Which log",
  required: true,
  choices: Object.entries(LOG_KINDS).map(([value, { words }]) => ({ name: words, value })),
};

function listEntry(
  list: string,
  description: string,
  filterBy: { readonly option: APIApplicationCommandStringOption } | undefined,
) {
  const filterName = filterBy?.option.name;
  return defineEntry<ListArgs>({
    description,
    first: "ephemeral",
    options: filterBy === undefined ? [serverOption] : [filterBy.option, serverOption],
    parse: (options: Options) => ({
      server: options.string("server"),
      filter: filterName === undefined ? "" : (options.string(filterName) ?? "").trim().slice(0, 40),
    }),
    autocomplete: (typing, services) =>
      typing.option === "team" ? completeTeam(typing, services) : completeServer(typing, services),
    async *execute({ actor, args, signal }, services) {
      const { id } = await services.bindings.pick(actor.guildId, args.server);
      yield* listReplies(services, { actor, signal }, { list, bindingId: id, filter: args.filter, page: 0 });
    },
  });
}

/** Teams that have somebody in them now, from memory. */
export async function completeTeam(
  { actor, typed, options }: Typing,
  { bindings, snapshots }: Services,
): Promise<readonly Choice[]> {
  const all = await bindings.list(actor.guildId);
  const named = options.string("server");
  const binding = named === undefined ? all[0] : all.find(({ id }) => id === named);
  const players = (binding && snapshots.latest(binding.source)?.lists.players?.value) ?? [];
  const teams = [...new Set(players.map(({ team }) => team.slice(0, 40)))].filter(
    (team) => team.trim() !== "",
  );
  return teams
    .filter((team) => team.toLowerCase().startsWith(typed.trim().toLowerCase()))
    .sort((a, b) => a.localeCompare(b, "en"))
    .map((team) => ({ name: team, value: team }));
}

export const lists = {
  players: listEntry("players", "Who is playing, by team", { option: teamOption }),
  staff: listEntry("staff", "The server's staff and which of them are playing", undefined),
  vehicles: listEntry("vehicles", "Spawned vehicles", { option: teamOption }),
  queue: listEntry("queue", "Who is waiting to join", undefined),
  calls: listEntry("calls", "Open moderator and emergency calls", { option: teamOption }),
  logs: listEntry("logs", "The newest entries of the game's logs", { option: kindOption }),
};

const turnPage = ({ actor, argument, signal }: Press, services: Services) =>
  listReplies(services, { actor, signal }, placeOf(argument));

/** Claims one of the calls that are listed, and shows the list as it is then. */
async function* claimInList({ actor, argument, signal }: Press, services: Services): AsyncGenerator<Reply> {
  const { cardId, ...place } = claimedIn(argument);
  const { content } = await actOn({ actor, argument: cardId }, { do: "claim" }, services);
  for await (const reply of listReplies(services, { actor, signal }, place))
    yield { ...reply, ...(content === undefined ? {} : { content }) };
}

export const listActions = {
  "server-claim": defineAction({ first: "update", execute: claimInList }),
  "server-page": defineAction({ first: "update", execute: turnPage }),
  "server-back": defineAction({ first: "update", execute: turnPage }),
  "server-next": defineAction({ first: "update", execute: turnPage }),
  /** The button under the status: the argument is the server; under a panel its mark follows. */
  "server-players": defineAction({
    first: "ephemeral",
    execute: ({ actor, argument, signal }, services) => {
      const [bindingId = ""] = argument.split("/");
      return listReplies(services, { actor, signal }, { list: "players", bindingId, filter: "", page: 0 });
    },
  }),
};
