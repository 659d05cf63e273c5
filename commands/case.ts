// Over 200 lines: the sub-commands of /case, each a few lines, beside each other as people type them.
import { type APIApplicationCommandStringOption, ApplicationCommandOptionType } from "discord.js";
import {
  defineAction,
  defineCommand,
  defineEntry,
  defineFormAction,
  type Typing,
} from "../src/discord/command.ts";
import type { Services } from "../src/discord/services.ts";
import type { CaseKind } from "../src/domain/case.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { CaseFilter } from "../src/domain/ports/cases.ts";
import { recordEvent } from "./audit-event.ts";
import {
  evidenceOf,
  filterText,
  kindChoices,
  kindOf,
  LONGEST_REASON,
  narrowed,
  numberOption,
  parseSearch,
  type SearchArgs,
  searchOptions,
} from "./case-args.ts";
import { caseOf, foundCases, giveReason, reasonForm, shown, write } from "./case-flow.ts";
import { moderatedServers, serverMeant } from "./moderated-servers.ts";
import {
  chooseOnePlayer,
  choosePlayer,
  completePlayer,
  playerOption,
  type WantedPlayer,
} from "./player-choice.ts";
import { completeServer, serverOption } from "./server-option.ts";

/** Notes, warnings and punishments, each with a number. For Moderators. */

const { String: text, Boolean: flag } = ApplicationCommandOptionType;

const reasonOption: APIApplicationCommandStringOption = {
  type: text,
  name: "reason",
  description: "Why, for all staff to see",
  max_length: LONGEST_REASON,
};
const evidenceOption: APIApplicationCommandStringOption = {
  type: text,
  name: "evidence",
  description: "A link to a picture or a clip",
  max_length: 400,
};

const complete = (typing: Typing, services: Services) =>
  typing.option === "server" ? completeServer(typing, services) : completePlayer(typing, services);

interface AddArgs {
  readonly player: string;
  readonly kind: CaseKind;
  readonly reason: string;
  readonly evidence: string | undefined;
  readonly server: string | undefined;
}

const add = defineEntry<AddArgs>({
  description: "Write down a note, a warning, or a punishment that was given elsewhere",
  first: "ephemeral",
  options: [
    playerOption,
    { type: text, name: "kind", description: "What it is", required: true, choices: kindChoices },
    { ...reasonOption, required: true },
    evidenceOption,
    serverOption,
  ],
  serverIsFilter: true,
  parse: (options) => ({
    player: options.string("player", true),
    kind: kindOf(options.string("kind", true)) ?? "note",
    reason: options.string("reason", true).trim(),
    evidence: evidenceOf(options.string("evidence")),
    server: options.string("server"),
  }),
  autocomplete: complete,
  async execute({ actor, args }, services) {
    const servers = await moderatedServers(services, actor);
    if (args.reason === "") throw new Failure("bad-command", "A reason has at least one word.");
    const { player, live } = await chooseOnePlayer(services, actor, { typed: args.player, servers });
    const binding = serverMeant(servers, args.server) ?? live?.binding;
    return await write(services, actor, { ...args, player, binding });
  },
});

const show = defineEntry<{ readonly number: number }>({
  description: "A case with its history",
  first: "ephemeral",
  options: [numberOption],
  parse: (options) => ({ number: options.number("number", true) }),
  async execute({ actor, args }, services) {
    await moderatedServers(services, actor);
    return await shown(services, await caseOf(services, actor, args.number));
  },
});

const search = defineEntry<SearchArgs>({
  description: "Cases, the newest first",
  first: "ephemeral",
  options: [{ ...playerOption, required: false }, ...searchOptions],
  parse: parseSearch,
  autocomplete: complete,
  async execute({ actor, args }, services) {
    const servers = await moderatedServers(services, actor);
    const filter = await narrowed(services, actor, args);
    const player =
      args.player === undefined ? {} : await targetFilter(services, actor, { typed: args.player, servers });
    return await foundCases(services, actor, { filter: filterText({ ...filter, ...player }) });
  },
});

/** Cases of a player who is known; else cases in which exactly these words stand for whom they hit. */
async function targetFilter(
  services: Services,
  actor: Actor,
  wanted: WantedPlayer,
): Promise<Pick<CaseFilter, "playerId" | "playerName">> {
  const choice = await choosePlayer(services, actor, wanted).catch((error: unknown) => {
    if (error instanceof Failure && error.code === "bad-command") return undefined;
    throw error;
  });
  return choice?.kind === "one" ? { playerId: choice.player.id } : { playerName: wanted.typed.trim() };
}

interface EditArgs {
  readonly number: number;
  readonly reason: string | undefined;
  readonly evidence: string | undefined;
  readonly dropsEvidence: boolean;
}

const edit = defineEntry<EditArgs>({
  description: "Change reason or evidence of a case; what stood there stays in its history",
  first: "ephemeral",
  options: [
    numberOption,
    reasonOption,
    evidenceOption,
    { type: flag, name: "drop-evidence", description: "Take its link away" },
  ],
  parse: (options) => ({
    number: options.number("number", true),
    reason: options.string("reason")?.trim(),
    evidence: evidenceOf(options.string("evidence")),
    dropsEvidence: options.boolean("drop-evidence") ?? false,
  }),
  async execute({ actor, args }, services) {
    await moderatedServers(services, actor);
    const { number, reason, evidence, dropsEvidence } = args;
    const link = dropsEvidence ? "" : evidence;
    if ((reason === undefined || reason === "") && link === undefined) {
      throw new Failure("bad-command", "Say what to change: reason: or evidence:.");
    }
    const before = await caseOf(services, actor, number);
    const one = await services.cases.edit(actor, number, {
      ...(reason === undefined || reason === "" ? {} : { reason }),
      ...(link === undefined ? {} : { evidence: link }),
    });
    if (one === undefined) throw new Failure("bad-command", `There is no case ${number} here.`);
    if (one.edits.length === before.edits.length) {
      return { ...(await shown(services, one)), content: md`Nothing was changed: it says so already.` };
    }
    const fields = [
      ...(reason === undefined || reason === "" ? [] : ["reason"]),
      ...(link === undefined ? [] : ["evidence"]),
    ];
    await recordEvent(services, actor, { action: "case-edit", text: `${number}: ${fields.join(", ")}` });
    return { ...(await shown(services, one)), content: md`✅ Case ${number} is changed.` };
  },
});

const revoke = defineEntry<{ readonly number: number; readonly reason: string | undefined }>({
  description: "Take a case back: it stays, struck out, and counts no more",
  first: "ephemeral",
  options: [numberOption, { ...reasonOption, description: "Why it is taken back" }],
  parse: (options) => ({ number: options.number("number", true), reason: options.string("reason") }),
  async execute({ actor, args: { number, reason } }, services) {
    await moderatedServers(services, actor);
    const before = await caseOf(services, actor, number);
    if (before.revoked !== undefined) {
      return { ...(await shown(services, before)), content: md`Case ${number} was revoked before.` };
    }
    const one = await services.cases.revoke(actor, number, reason);
    if (one === undefined) throw new Failure("bad-command", `There is no case ${number} here.`);
    await recordEvent(services, actor, {
      action: "case-revoke",
      text: `${number}${reason === undefined ? "" : `: ${reason}`}`,
    });
    const undo = one.kind === "ban" || one.kind === "jail";
    const hint = undo ? md` In the game nothing is undone by it: that takes \`/run command\`.` : md``;
    return { ...(await shown(services, one)), content: md`↩️ Case ${number} is revoked.${hint}` };
  },
});

function numberIn(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

export const cases = defineCommand({
  name: "case",
  description: "Notes, warnings and punishments",
  subcommands: { add, show, search, edit, revoke },
  actions: {
    "case-open": defineAction({
      first: "ephemeral",
      async execute({ actor, values }, services) {
        await moderatedServers(services, actor);
        return await shown(services, await caseOf(services, actor, numberIn(values[0] ?? "")));
      },
    }),
    "case-older": defineAction({
      first: "update",
      async execute({ actor, argument }, services) {
        await moderatedServers(services, actor);
        const [, before = "", filter = ""] = /^(\d+)\/(.*)$/s.exec(argument) ?? [];
        return await foundCases(services, actor, { filter, before: numberIn(before) });
      },
    }),
    "case-newest": defineAction({
      first: "update",
      async execute({ actor, argument }, services) {
        await moderatedServers(services, actor);
        return await foundCases(services, actor, { filter: argument });
      },
    }),
    // A form must be the first answer, so the right is checked when it is submitted.
    "case-reason": defineFormAction({
      first: "modal",
      form: ({ argument }) => reasonForm(`case-reasoned:${argument}`, `Reason of case ${argument}`),
    }),
    "case-reasoned": defineAction({
      first: "ephemeral",
      async execute(press, services) {
        const one = await caseOf(services, press.actor, numberIn(press.argument));
        return await giveReason(services, press, one);
      },
    }),
    /** Under the outcome of a run: its case is known by the run. */
    "case-why": defineFormAction({
      first: "modal",
      form: ({ argument }) => reasonForm(`case-why-said:${argument}`, "Reason of this punishment"),
    }),
    "case-why-said": defineAction({
      first: "ephemeral",
      async execute(press, services) {
        const one = await services.cases.ofRun(press.actor.guildId, press.argument);
        if (one === undefined) {
          throw new Failure(
            "expired",
            "The case of this command is not written down yet. Try again in a moment.",
          );
        }
        return await giveReason(services, press, one);
      },
    }),
  },
});
