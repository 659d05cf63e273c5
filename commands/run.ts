import { ApplicationCommandOptionType } from "discord.js";
import {
  defineAction,
  defineCommand,
  defineEntry,
  defineFormAction,
  type Press,
  type Reply,
  type Services,
} from "../src/discord/command.ts";
import {
  deferredLine,
  fitLines,
  runLine,
  searchStopped,
  waitingLine,
} from "../src/discord/render/audit-rows.ts";
import { cut, plainText } from "../src/discord/render/escape.ts";
import { escapeButTimes } from "../src/discord/render/own-markup.ts";
import { droppedCard, outcomeCard } from "../src/discord/render/run-cards.ts";
import { type Escaped, joined, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { Row, SelectOption } from "../src/domain/message.ts";
import { ask, follow, recordOf, serverBeingTyped, staffedServers, verbsFor } from "./run-flow.ts";
import { presets } from "./run-presets.ts";
import { completeServer, serverOption } from "./server-option.ts";

const { String: text, Boolean: flag } = ApplicationCommandOptionType;
const historyLength = 20;

interface CommandArgs {
  readonly text: string;
  readonly server: string | undefined;
  readonly dry: boolean | undefined;
}

const command = defineEntry<CommandArgs>({
  description: "Run an in-game command",
  first: "ephemeral",
  options: [
    {
      type: text,
      name: "text",
      description: "As in the game, for example :pm name hello",
      required: true,
      autocomplete: true,
      max_length: 1_000,
    },
    serverOption,
    { type: flag, name: "dry", description: "Show what it would do and send nothing" },
  ],
  parse: (options) => ({
    text: options.string("text", true).trim(),
    server: options.string("server"),
    dry: options.boolean("dry"),
  }),
  async autocomplete(typing, services) {
    if (typing.option === "server") return completeServer(typing, services);
    const binding = await serverBeingTyped(typing, services);
    const may = await verbsFor(typing.actor, binding, services);
    return services.words.complete(binding?.source, typing.typed, may);
  },
  async *execute({ actor, args, ...on }, services) {
    const binding = await services.bindings.pick(actor.guildId, args.server);
    yield* ask(services, { actor, binding, text: args.text, origin: "command", dry: args.dry, on });
  },
});

/** What waits on the servers on which this person is staff, and a way to cancel. */
async function queueReply(services: Services, actor: Actor, notice?: Escaped): Promise<Reply> {
  const staffed = new Set((await staffedServers(services, actor)).map(({ id }) => id));
  if (staffed.size === 0) throw new Failure("denied", "Only staff see what waits.");
  const waiting = (await services.queue.waiting(actor.guildId)).filter(({ record }) =>
    staffed.has(record.bindingId),
  );
  const deferred = (await services.queue.deferred(actor.guildId)).filter(({ request }) =>
    staffed.has(request.binding.id),
  );
  const lines = [...waiting.map(waitingLine), ...deferred.map(deferredLine)];
  const options: SelectOption[] = [
    ...waiting
      .filter(({ place }) => place > 0)
      .map(({ record, place }) => ({
        label: label(record.text),
        value: record.id,
        description: `Place ${place}`,
      })),
    ...deferred.map(({ id, request }) => ({
      label: label(request.text),
      value: id,
      description: "When someone joins",
    })),
  ].slice(0, 25);
  const rows: Row[] =
    options.length === 0
      ? []
      : [[{ kind: "select", of: "string", id: "run-unqueue", placeholder: "Cancel one of these", options }]];
  const card = {
    title: md`Queue`,
    description: lines.length === 0 ? md`Nothing waits.` : fitLines(lines),
    color: 0x3b6fd4,
    ...(options.length === 0 ? {} : { footer: "You can cancel your own; Managers can cancel any." }),
  };
  return { ...(notice === undefined ? {} : { content: notice }), cards: [card], rows };
}

function label(commandText: string): string {
  return cut(plainText(commandText), 100) || "-";
}

const queue = defineEntry<undefined>({
  description: "What waits to be sent",
  first: "ephemeral",
  parse: () => undefined,
  execute: ({ actor }, services) => queueReply(services, actor),
});

const history = defineEntry<{ readonly server: string | undefined; readonly mine: boolean | undefined }>({
  description: "The latest commands and what came of them",
  first: "ephemeral",
  options: [serverOption, { type: flag, name: "mine", description: "Only my own" }],
  parse: (options) => ({ server: options.string("server"), mine: options.boolean("mine") }),
  autocomplete: completeServer,
  async execute({ actor, args }, services) {
    const binding = await services.bindings.pick(actor.guildId, args.server);
    // Before anything is read: anyone in the community may ask this, as often as they like.
    if (!(await services.permissions.isStaff(actor, binding))) {
      throw new Failure("denied", "Only staff of this server see its history.");
    }
    const own = args.mine === true;
    const { rows, stoppedAt } = await services.audit.search(actor.guildId, {
      bindingId: binding.id,
      limit: historyLength,
      ...(own ? { actorId: actor.userId } : {}),
    });
    const title = own ? md`Your latest commands` : md`The latest commands`;
    const shown = rows.map((row) => runLine(row));
    const stopped = stoppedAt === undefined ? [] : [searchStopped(rows.length)];
    const none = stoppedAt === undefined ? [md`There are none.`] : [];
    const description = joined([...(shown.length === 0 ? none : [fitLines(shown)]), ...stopped], "\n");
    return { cards: [{ title, description, color: 0x3b6fd4, footer: plainText(binding.name) }] };
  },
});

async function* again({ actor, argument, ...on }: Press, services: Services): AsyncGenerator<Reply> {
  const { record, binding } = await recordOf(services, actor, argument);
  yield* ask(services, { actor, binding, text: record.text, origin: "button", on });
}

async function* undo({ actor, argument, ...on }: Press, services: Services): AsyncGenerator<Reply> {
  const { record, binding } = await recordOf(services, actor, argument);
  if (record.inverse === undefined) throw new Failure("bad-command", "Nothing undoes this command.");
  yield* ask(services, { actor, binding, text: record.inverse, origin: "undo", on });
}

/** The card again, with what the log has told since. */
async function check({ actor, argument }: Press, services: Services): Promise<Reply> {
  const { record, binding } = await recordOf(services, actor, argument);
  if (record.actorId !== actor.userId && !(await services.permissions.isStaff(actor, binding))) {
    throw new Failure("denied", "Only staff see what came of a command.");
  }
  return outcomeCard(record);
}

export const run = defineCommand({
  name: "run",
  description: "In-game commands",
  subcommands: { command, queue, history, preset: presets },
  actions: {
    "run-confirm": defineAction({
      first: "update",
      async *execute({ actor, argument, ...on }, services) {
        const ticket = await services.runner.confirmed(argument, actor);
        yield* follow(services, ticket, { guildId: actor.guildId, ...on });
      },
    }),
    "run-name": defineFormAction({
      first: "modal",
      form: ({ argument }) => ({
        id: `run-named:${argument}`,
        title: "This hits everyone in the server",
        intro: md`Type the server's name as it stands on the card. Nothing is sent before that.`,
        fields: [{ kind: "text", id: "name", label: "Name of the server", maxLength: 200 }],
      }),
    }),
    "run-named": defineAction({
      first: "update",
      async *execute({ actor, argument, form, ...on }, services) {
        const ticket = await services.runner.confirmed(argument, actor, form.text("name"));
        yield* follow(services, ticket, { guildId: actor.guildId, ...on });
      },
    }),
    "run-drop": defineAction({
      first: "update",
      execute: async ({ actor, argument }, { queue: runs }) =>
        droppedCard(await runs.discard(actor, argument)),
    }),
    "run-again": defineAction({ first: "ephemeral", execute: again }),
    "run-undo": defineAction({ first: "ephemeral", execute: undo }),
    "run-check": defineAction({ first: "update", execute: check }),
    "run-cancel": defineAction({
      first: "ephemeral",
      execute: async ({ actor, argument }, services) => told(await services.queue.cancel(actor, argument)),
    }),
    "run-defer": defineAction({
      first: "ephemeral",
      execute: async ({ actor, argument }, services) => told(await services.queue.defer(actor, argument)),
    }),
    "run-unqueue": defineAction({
      first: "update",
      async execute({ actor, values }, services) {
        const notice = told(await services.queue.cancel(actor, values[0] ?? "")).content;
        return queueReply(services, actor, notice);
      },
    }),
  },
});

function told({ ok, text: words }: { readonly ok: boolean; readonly text: string }): {
  readonly content: Escaped;
} {
  return { content: md`${ok ? "✅" : "⛔"} ${escapeButTimes(words)}` };
}
