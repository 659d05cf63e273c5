import {
  defineAction,
  defineCommand,
  defineEntry,
  type Options,
  type Reply,
  type Services,
} from "../src/discord/command.ts";
import {
  type Freshness,
  joinKeyText,
  playersCard,
  queueCard,
  staffCard,
  statusCard,
  vehiclesCard,
} from "../src/discord/render/server-status.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type { Row } from "../src/domain/message.ts";
import type { ListName, Lists, ServerState } from "../src/domain/model.ts";
import { completeServer, serverOption } from "./server-option.ts";

/** Young enough to be called current; two people who look at once cost one request. */
const maxAgeMs = 10_000;

interface ServerArgs {
  readonly server: string | undefined;
}

const parse = (options: Options): ServerArgs => ({ server: options.string("server") });

/** What is known of a server now, or failing that the last that was known, with the reason. */
interface Look {
  readonly state: ServerState;
  readonly stale: Failure | undefined;
}

async function look(
  { snapshots, health }: Services,
  binding: Binding,
  lists: readonly ListName[],
  signal: AbortSignal,
): Promise<Look> {
  const halt = health.halt();
  const parked = health.parked(binding.source);
  try {
    // Asking during a halt would only wait in the gate: the last snapshot is the quicker truth.
    if (halt !== undefined) throw new Failure(halt.why, haltWords[halt.why], { retryAtMs: halt.untilMs });
    if (parked !== undefined) throw new Failure("key-rejected", parked.why);
    return {
      state: await snapshots.fresh(binding.source, lists, maxAgeMs, { signal, guildId: binding.guildId }),
      stale: undefined,
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const state = snapshots.latest(binding.source);
    if (state !== undefined && lists.every((list) => state.lists[list] !== undefined))
      return { state, stale: error };
    throw withoutSnapshot(error);
  }
}

const haltWords = {
  "rate-limited": "the game service asked this bot to wait before it sends anything.",
  blocked: "the game service blocks this bot for a while.",
} as const;

function withoutSnapshot(failure: Failure): Failure {
  const { code, retryAtMs, serviceCode } = failure;
  return new Failure(code, `${failure.message} There is no earlier snapshot of this server to show.`, {
    isRead: true,
    ...(retryAtMs === undefined ? {} : { retryAtMs }),
    ...(serviceCode === undefined ? {} : { serviceCode }),
    cause: failure,
  });
}

function staleWhy(stale: Failure | undefined): Pick<Freshness, "staleWhy"> {
  if (stale === undefined) return {};
  const until =
    stale.retryAtMs === undefined ? "" : md` Asking resumes <t:${Math.ceil(stale.retryAtMs / 1000)}:R>.`;
  return { staleWhy: md`${staleWords(stale)}${until}` };
}

/** Why the service does not let this bot read a server, by its own code. */
function refusedWords(serviceCode: number | undefined) {
  if (serviceCode === 4000)
    return md`the game service says that this bot is not authorised for this server (code 4000).`;
  if (serviceCode === 9998) return md`the game service restricts access to this server (code 9998).`;
  if (serviceCode === undefined) return md`the game service does not let this bot read this server.`;
  return md`the game service does not let this bot read this server (code ${serviceCode}).`;
}

function staleWords({ code, serviceCode }: Failure) {
  switch (code) {
    case "rate-limited":
      return "the game service asked this bot to wait.";
    case "blocked":
      return "the game service blocks this bot for a while.";
    case "read-refused":
      return refusedWords(serviceCode);
    case "platform":
      return "the game service answered that something is wrong at its end.";
    case "bad-response":
      return "the game service gave an answer that could not be read.";
    case "not-linked":
      return "the server is not linked any more.";
    case "queue-full":
    case "busy":
      return "too much is asked for at this moment.";
    case "key-rejected":
      return "the game service no longer accepts the server key; link the server again with `/setup link`.";
    case "unreachable":
      return "the game service could not be reached.";
    default:
      return "nothing newer could be read at this moment.";
  }
}

async function statusReply(
  services: Services,
  actor: Actor,
  server: string | undefined,
  signal: AbortSignal,
): Promise<Reply> {
  const binding = await services.bindings.pick(actor.guildId, server);
  const { state, stale } = await look(services, binding, [], signal);
  const seen = { atMs: state.statusAtMs, ...staleWhy(stale) };
  return { cards: [statusCard(state.status, seen)], rows: [statusButtons(binding)] };
}

function statusButtons(binding: Binding): Row {
  return [
    { kind: "button", style: "secondary", label: "Refresh", emoji: "🔄", id: `server-refresh:${binding.id}` },
  ];
}

/** The join key beside the public card: for staff, and only who asked sees it. */
async function joinKeyAside(
  services: Services,
  actor: Actor,
  server: string | undefined,
): Promise<Pick<Reply, "aside">> {
  const binding = await services.bindings.pick(actor.guildId, server);
  const status = services.snapshots.latest(binding.source)?.status;
  if (status === undefined || !(await services.permissions.isStaff(actor, binding))) return {};
  return { aside: { content: joinKeyText(status) } };
}

const retry = { kind: "button", style: "primary", label: "Try again" } as const;

const status = defineEntry<ServerArgs>({
  description: "Players, owner and settings of the game server",
  first: "public",
  options: [serverOption],
  parse,
  autocomplete: completeServer,
  next: ({ code }, { server }) =>
    code === "unreachable" || code === "platform" || code === "bad-response"
      ? { ...retry, id: `server-retry:${server ?? ""}`.slice(0, 100) }
      : undefined,
  async execute({ actor, args, signal }, services) {
    const reply = await statusReply(services, actor, args.server, signal);
    return { ...reply, ...(await joinKeyAside(services, actor, args.server)) };
  },
});

/** One of the optional lists as a card. Ephemeral: long, and of use to who asked. */
function listEntry<L extends ListName>(
  description: string,
  list: L,
  alsoLists: readonly ListName[],
  render: (look: {
    readonly state: ServerState;
    readonly value: Lists[L];
    readonly seen: Freshness;
    readonly staff: boolean;
  }) => Reply,
) {
  return defineEntry<ServerArgs>({
    description,
    first: "ephemeral",
    options: [serverOption],
    parse,
    autocomplete: completeServer,
    async execute({ actor, args, signal }, services) {
      const binding = await services.bindings.pick(actor.guildId, args.server);
      const { state, stale } = await look(services, binding, [list, ...alsoLists], signal);
      const known = state.lists[list];
      if (known === undefined) throw new Failure("bad-response", `The answer held no list "${list}".`);
      const seen = { atMs: known.atMs, ...staleWhy(stale) };
      const staff = await services.permissions.isStaff(actor, binding);
      return render({ state, value: known.value, seen, staff });
    },
  });
}

export const server = defineCommand({
  name: "server",
  description: "What is going on in the game server",
  subcommands: {
    status,
    players: listEntry("Who plays, by team", "players", [], ({ state, value, seen, staff }) => ({
      cards: [playersCard(state, value, seen, staff)],
    })),
    staff: listEntry(
      "The game server's staff, and who of them plays",
      "staff",
      ["players"],
      ({ state, value, seen }) => ({
        cards: [staffCard(state, value, onlineIds(state), seen)],
      }),
    ),
    vehicles: listEntry("The vehicles on the streets", "vehicles", [], ({ state, value, seen }) => ({
      cards: [vehiclesCard(state, value, seen)],
    })),
    queue: listEntry("Who waits to join", "queue", [], ({ state, value, seen }) => ({
      cards: [queueCard(state, value, seen)],
    })),
  },
  actions: {
    "server-refresh": defineAction({
      first: "update",
      execute: ({ actor, argument, signal }, services) => statusReply(services, actor, argument, signal),
    }),
    "server-retry": defineAction({
      first: "update",
      execute: ({ actor, argument, signal }, services) =>
        statusReply(services, actor, argument === "" ? undefined : argument, signal),
    }),
  },
});

function onlineIds(state: ServerState): ReadonlySet<number> | undefined {
  const players = state.lists.players?.value;
  return players && new Set(players.map(({ player }) => player.id).filter((id) => id !== undefined));
}
