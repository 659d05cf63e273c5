import { ApplicationCommandOptionType } from "discord.js";
import {
  defineAction,
  defineCommand,
  defineEntry,
  defineFormAction,
  type Press,
  type Reply,
} from "../src/discord/command.ts";
import { confirmCard } from "../src/discord/render/plan-cards.ts";
import { droppedCard, expiredCard } from "../src/discord/render/plan-over-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import { isSameName } from "../src/domain/typed-server-name.ts";
import { automaticActions } from "./automatic.ts";
import { termOf, termOptions, termTyped } from "./ban-term.ts";
import { refuseBannedAgain } from "./banned-again.ts";
import { showTold } from "./case-told.ts";
import { serverBeingTyped } from "./live-players.ts";
import { confirmedOrExpired, endInTime, wasNeverSent } from "./question-ends.ts";
import { banActions, bans } from "./run-bans.ts";
import { askBare } from "./run-bare.ts";
import { ask, auditRowOf, confirmReply } from "./run-flow.ts";
import { follow, soughtAgain } from "./run-follow.ts";
import { history, historyActions } from "./run-history.ts";
import { completeByName, presets, textOfPreset } from "./run-presets.ts";
import { queue, queueActions, queueResultText } from "./run-queue.ts";
import { undoEach } from "./run-undo.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { mayRunFor } from "./staff-rights.ts";

const { String: text, Boolean: flag } = ApplicationCommandOptionType;

interface CommandArgs {
  readonly text: string;
  readonly server: string | undefined;
  readonly dry: boolean | undefined;
  readonly term: string | undefined;
}

const command = defineEntry<CommandArgs>({
  description: "Run an in-game command",
  first: "ephemeral",
  runs: true,
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
    { type: flag, name: "dry", description: "Only show what it would do" },
    ...termOptions,
  ],
  parse: (options) => ({
    text: options.string("text", true).trim(),
    server: options.string("server"),
    dry: options.boolean("dry"),
    term: termTyped(options),
  }),
  async autocomplete(typing, services) {
    if (typing.option === "server") return completeServer(typing, services);
    const binding = await serverBeingTyped(typing, services);
    const may = await mayRunFor(typing.actor, binding, services);
    const named = await completeByName(typing, services, may);
    return [...named, ...services.catalogue.complete(binding?.source, typing.typed, may)];
  },
  async *execute({ actor, args, ...on }, services) {
    const binding = await services.bindings.pick(actor.guildId, args.server);
    const preset = await textOfPreset(services, actor.guildId, args.text);
    const text = preset ?? args.text;
    const origin = preset === undefined ? "command" : "preset";
    const term = await termOf(services, actor, args.term);
    const asked = { actor, binding, text, origin, dry: args.dry, term, on } as const;
    // Without a letter there is nothing to say.
    const isBare = !text.startsWith(":") && /[\p{L}\p{N}]/u.test(text);
    yield* isBare ? askBare(services, asked) : ask(services, asked);
  },
});

async function* again({ actor, argument, ...on }: Press, services: Services): AsyncGenerator<Reply> {
  const { record, binding } = await auditRowOf(services, actor, argument);
  const term = record.ends?.term;
  yield* ask(services, { actor, binding, text: record.text, origin: "button", term, isAgain: true, on });
}

async function* undo({ actor, argument, ...on }: Press, services: Services): AsyncGenerator<Reply> {
  const { record, binding } = await auditRowOf(services, actor, argument);
  const [text, ...more] = record.inverse ?? [];
  if (text === undefined) throw new Failure("bad-command", "This command can't be undone.");
  await refuseBannedAgain(services, record);
  if (more.length === 0) yield* ask(services, { actor, binding, text, origin: "undo", undoes: record, on });
  else yield* undoEach(services, { actor, binding, texts: [text, ...more], undoes: record });
}

/** Shows the card again, with what the log has shown since. */
async function* check({ actor, argument, signal }: Press, services: Services): AsyncGenerator<Reply> {
  const { record, binding } = await auditRowOf(services, actor, argument);
  if (record.actorId !== actor.userId && !(await services.permissions.isStaff(actor, binding))) {
    throw new Failure("denied", "Only staff can see a command's result.", {
      wants: "tier",
      isRead: true,
      bindingId: binding.id,
    });
  }
  yield* soughtAgain(services, record, signal);
}

export const run = defineCommand({
  name: "run",
  description: "In-game commands",
  subcommands: { command, queue, bans, history, preset: presets },
  actions: {
    "run-confirm": defineAction({
      first: "update",
      runs: true,
      async *execute({ actor, argument, ...on }, services) {
        const sent = await confirmedOrExpired(services, { actor, planId: argument });
        if ("expired" in sent) yield sent.expired;
        else {
          yield* follow(services, sent.submitted, { actor, ...on });
          await showTold(services, actor, sent.submitted);
        }
      },
    }),
    "run-near": defineAction({
      first: "update",
      runs: true,
      async *execute({ actor, argument, ...on }, services) {
        const plan = services.runner.awaiting(argument, actor);
        if (plan !== undefined && plan.confirm !== "none") {
          yield await confirmReply(services, plan, { answer: on.answer });
          return;
        }
        const sent = await confirmedOrExpired(services, { actor, planId: argument });
        if ("expired" in sent) yield sent.expired;
        else yield* follow(services, sent.submitted, { actor, ...on });
      },
    }),
    "run-name": defineFormAction({
      first: "modal",
      form({ actor, argument }, { runner }) {
        if (runner.awaiting(argument, actor) === undefined) {
          throw new Failure("expired", "This expired or was already answered. Run the command again.");
        }
        return {
          id: `run-named:${argument}`,
          title: "Send to everyone in the server?",
          intro: md`Type the server's name as shown on the card. Not sent yet.`,
          fields: [{ kind: "text", id: "name", label: "Server name", maxLength: 200 }],
        };
      },
    }),
    "run-named": defineAction({
      first: "update",
      runs: true,
      async *execute({ actor, argument, form, ...on }, services) {
        const plan = services.runner.awaiting(argument, actor);
        const name = form.text("name");
        if (plan !== undefined && !isSameName(name, plan.request.binding.name)) {
          endInTime(services, [plan], on.answer);
          yield confirmCard(plan, { isWrongName: true });
          return;
        }
        const sent = await confirmedOrExpired(services, { actor, planId: argument, name });
        if ("expired" in sent) yield sent.expired;
        else yield* follow(services, sent.submitted, { actor, ...on });
      },
    }),
    "run-drop": defineAction({
      first: "update",
      async execute({ actor, argument }, services) {
        const isDropped = await services.queue.discard(actor, argument);
        if (!isDropped && (await wasNeverSent(services, actor, argument))) return expiredCard();
        return droppedCard(isDropped);
      },
    }),
    "run-again": defineAction({ first: "ephemeral", runs: true, execute: again }),
    "run-undo": defineAction({ first: "ephemeral", runs: true, execute: undo }),
    "run-check": defineAction({ first: "update", execute: check }),
    "run-cancel": defineAction({
      first: "ephemeral",
      execute: async ({ actor, argument }, services) => ({
        content: queueResultText(await services.queue.cancel(actor, argument)),
      }),
    }),
    "run-defer": defineAction({
      first: "ephemeral",
      execute: async ({ actor, argument }, services) => ({
        content: queueResultText(await services.queue.defer(actor, argument)),
      }),
    }),
    ...queueActions,
    ...banActions,
    ...automaticActions,
    ...historyActions,
  },
});
