import { ApplicationCommandOptionType } from "discord.js";
import { defineAction, defineEntry, type Press, type Reply } from "../src/discord/command.ts";
import { runLine, searchStopped } from "../src/discord/render/audit-rows.ts";
import { plainText } from "../src/discord/render/escape.ts";
import { fitLines } from "../src/discord/render/fit-lines.ts";
import type { Services } from "../src/discord/services.ts";
import { joined, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type { Button } from "../src/domain/message.ts";
import { completeServer, serverOption } from "./server-option.ts";

/** `/run history`: the latest commands of a server, page by page. */

const PAGE_ROWS = 10;
const { Boolean: flag } = ApplicationCommandOptionType;

/** Which rows; it stands in the custom_id of the page's buttons. */
interface View {
  readonly mine: boolean;
  readonly refusals: boolean;
  /** Where the audit goes on; absent: at the newest. */
  readonly after?: string;
}

/** Who asks, and of which server. */
interface Of {
  readonly actor: Actor;
  readonly binding: Binding;
}

interface HistoryArgs extends View {
  readonly server: string | undefined;
}

export const history = defineEntry<HistoryArgs>({
  description: "The latest commands and their results",
  first: "ephemeral",
  options: [
    serverOption,
    { type: flag, name: "mine", description: "Only my own" },
    { type: flag, name: "refusals", description: "Include refused commands" },
  ],
  parse: (options) => ({
    server: options.string("server"),
    mine: options.boolean("mine") ?? false,
    refusals: options.boolean("refusals") ?? false,
  }),
  autocomplete: completeServer,
  execute: async ({ actor, args }, services) =>
    page(services, { actor, binding: await services.bindings.pick(actor.guildId, args.server) }, args),
});

async function page(services: Services, { actor, binding }: Of, view: View): Promise<Reply> {
  // Checked before anything is read, because anyone in the community may ask this as often as they like.
  if (!(await services.permissions.isStaff(actor, binding))) {
    throw new Failure("denied", "Only staff of this server can see its history.", {
      wants: "tier",
      isRead: true,
      bindingId: binding.id,
    });
  }
  const { rows, next, stoppedAt } = await services.audit.search(actor.guildId, {
    bindingId: binding.id,
    limit: PAGE_ROWS,
    ...(view.mine ? { actorId: actor.userId } : {}),
    ...(view.refusals ? {} : { withoutDenied: true }),
    ...(view.after === undefined ? {} : { after: view.after }),
  });
  const shown = rows.length === 0 ? [] : [fitLines(rows.map((row) => runLine(row)))];
  const none =
    rows.length === 0 && stoppedAt === undefined
      ? [md`No ${view.after === undefined ? "" : "earlier "}commands.`]
      : [];
  const stopped = stoppedAt === undefined ? [] : [searchStopped(rows.length)];
  const buttons = [
    ...(view.after === undefined ? [] : [turn("Newest", binding, { ...view, after: "" })]),
    ...(next === undefined ? [] : [turn("Older", binding, { ...view, after: next })]),
  ];
  const card = {
    title: view.mine ? md`Your latest commands` : md`The latest commands`,
    description: joined([...shown, ...none, ...stopped], "\n"),
    color: 0x3b6fd4,
    footer: plainText(binding.name),
  };
  return { cards: [card], rows: buttons.length === 0 ? [] : [buttons] };
}

function turn(label: string, binding: Binding, { mine, refusals, after = "" }: View): Button {
  const flags = `${mine ? "m" : ""}${refusals ? "r" : ""}`;
  return { kind: "button", style: "secondary", label, id: `run-page:${binding.id}|${flags}|${after}` };
}

async function turned({ actor, argument }: Press, services: Services): Promise<Reply> {
  const [bindingId, flags = "", after = ""] = argument.split("|");
  const binding = await services.bindings.pick(actor.guildId, bindingId);
  return page(
    services,
    { actor, binding },
    {
      mine: flags.includes("m"),
      refusals: flags.includes("r"),
      ...(after === "" ? {} : { after }),
    },
  );
}

export const historyActions = { "run-page": defineAction({ first: "update", execute: turned }) };
