import { defineAction, defineEntry, type Reply } from "../src/discord/command.ts";
import { deferredLine, waitingLine } from "../src/discord/render/audit-rows.ts";
import { automaticButton, automaticLine } from "../src/discord/render/automatic-cards.ts";
import { cut, plainText } from "../src/discord/render/escape.ts";
import { fitLines } from "../src/discord/render/fit-lines.ts";
import { hitOf, plainWithHits } from "../src/discord/render/hit-words.ts";
import { escapeButTimes } from "../src/discord/render/own-markup.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, joined, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { Button, Row, SelectOption } from "../src/domain/message.ts";
import { automaticOf } from "./automatic.ts";
import { isManager, staffedServers } from "./staff-rights.ts";

/** `/run queue`: the waiting runs of the servers on which somebody is staff, and a select that cancels one. */

const PAGE_ROWS = 10;

interface Item {
  readonly line: Escaped;
  /** Absent for what is being sent: it can no longer be cancelled. */
  readonly option?: SelectOption;
}

async function itemsFor(services: Services, actor: Actor): Promise<readonly Item[]> {
  const staffed = new Set((await staffedServers(services, actor)).map(({ id }) => id));
  if (staffed.size === 0) {
    const isLinked = (await services.bindings.list(actor.guildId)).length > 0;
    throw isLinked
      ? new Failure("denied", "Only staff can see the queue.", { wants: "tier", isRead: true })
      : new Failure("not-linked", "No game server is linked here yet.", { wants: "server", isRead: true });
  }
  const waiting = await services.queue.waiting(actor.guildId);
  const deferred = await services.queue.deferred(actor.guildId);
  return [
    ...waiting
      .filter(({ record }) => staffed.has(record.bindingId))
      .map((run) => ({
        line: waitingLine(run),
        ...(run.place === 0
          ? {}
          : {
              option: option(
                { id: run.record.id, text: plainWithHits(run.record.text, hitOf(run.record)) },
                `Place ${run.place}`,
              ),
            }),
      })),
    ...deferred
      .filter(({ request }) => staffed.has(request.binding.id))
      .map((run) => ({
        line: deferredLine(run),
        option: option({ id: run.id, text: plainWithHits(run.request.text, run.byId) }, "When someone joins"),
      })),
  ];
}

function option({ id, text }: { readonly id: string; readonly text: string }, place: string): SelectOption {
  return { label: cut(plainText(text), 100) || "-", value: id, description: place };
}

interface Shown {
  /** From 0. A page that is gone by now shows the last one. */
  readonly page: number;
  readonly notice?: Escaped;
}

async function queueReply(services: Services, actor: Actor, { page, notice }: Shown): Promise<Reply> {
  const items = await itemsFor(services, actor);
  const automatic = await automaticOf(services, actor.guildId);
  const line = automaticLine(automatic);
  // Who may not press it is not offered it.
  const press = (await isManager(services, actor)) ? automaticButton(automatic) : undefined;
  const last = Math.max(0, Math.ceil(items.length / PAGE_ROWS) - 1);
  const at = Math.min(page, last);
  const here = items.slice(at * PAGE_ROWS, (at + 1) * PAGE_ROWS);
  const options = here.flatMap((item) => (item.option === undefined ? [] : [item.option]));
  const pages = [...(at > 0 ? [turn("Back", at - 1)] : []), ...(at < last ? [turn("More", at + 1)] : [])];
  const rows: Row[] = [
    ...(options.length === 0
      ? []
      : [
          [
            {
              kind: "select",
              of: "string",
              id: `run-unqueue:${at}`,
              placeholder: "Cancel one of these",
              options,
            },
          ] as const,
        ]),
    ...(pages.length === 0 ? [] : [pages]),
    ...(press === undefined ? [] : [[press]]),
  ];
  const waiting = here.length === 0 ? md`Nothing is waiting.` : fitLines(here.map((item) => item.line));
  const whose = "You can cancel your own. Managers can cancel any.";
  const card = {
    title: last === 0 ? md`Queue` : md`Queue · page ${at + 1} of ${last + 1}`,
    description: joined([waiting, ...(line === undefined ? [] : [md``, line])], "\n"),
    color: 0x3b6fd4,
    ...(options.length === 0 ? {} : { footer: whose }),
  };
  return { ...(notice === undefined ? {} : { content: notice }), cards: [card], rows };
}

function turn(label: string, page: number): Button {
  return { kind: "button", style: "secondary", label, id: `run-queue:${page}` };
}

export const queue = defineEntry<undefined>({
  description: "Commands waiting to be sent",
  first: "ephemeral",
  parse: () => undefined,
  execute: ({ actor }, services) => queueReply(services, actor, { page: 0 }),
});

/** The answer of the queue to a request, with its symbol. */
export function queueResultText({ ok, text }: { readonly ok: boolean; readonly text: string }): Escaped {
  return md`${ok ? "✅" : "⛔"} ${escapeButTimes(text)}`;
}

export const queueActions = {
  "run-queue": defineAction({
    first: "update",
    execute: ({ actor, argument }, services) =>
      queueReply(services, actor, { page: Number.parseInt(argument, 10) || 0 }),
  }),
  "run-unqueue": defineAction({
    first: "update",
    async execute({ actor, argument, values }, services) {
      const notice = queueResultText(await services.queue.cancel(actor, values[0] ?? ""));
      return queueReply(services, actor, { page: Number.parseInt(argument, 10) || 0, notice });
    },
  }),
};
