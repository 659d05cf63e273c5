import { type APIApplicationCommandStringOption, ApplicationCommandOptionType } from "discord.js";
import {
  defineAction,
  defineCommand,
  defineEntry,
  defineFormAction,
  type Typing,
} from "../src/discord/command.ts";
import type { Services } from "../src/discord/services.ts";
import type { Case, CaseKind } from "../src/domain/case.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { CaseFilter } from "../src/domain/ports/cases.ts";
import { appealActions } from "./appeal.ts";
import { recordEvent } from "./audit-event.ts";
import {
  evidenceOf,
  filterText,
  firstOf,
  kindChoices,
  kindOf,
  LONGEST_REASON,
  narrowed,
  numberIn,
  numberOption,
  parseSearch,
  type SearchArgs,
  searchOptions,
} from "./case-args.ts";
import { askActions, askForBan } from "./case-ask.ts";
import { foundCases, giveReason, reasonForm, shown, write } from "./case-flow.ts";
import { caseOf, refuseAgainstOneself, refuseKind, staysWords } from "./case-rights.ts";
import { keepUntold, tellWarned } from "./case-tell.ts";
import { showRevoked } from "./case-told.ts";
import { formTitle } from "./form-title.ts";
import { moderatedServers, serverMeant } from "./moderated-servers.ts";
import {
  choosePlayer,
  chooseWholeName,
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
  description: "The reason, visible to all staff",
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
  description: "Add a note, a warning, or a punishment given elsewhere",
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
  async execute({ actor, args, answer }, services) {
    const servers = await moderatedServers(services, actor);
    if (args.reason === "") throw new Failure("bad-command", "Write a reason.");
    const named = serverMeant(servers, args.server);
    await refuseKind(services, actor, { kind: args.kind, servers: named === undefined ? servers : [named] });
    const { player, live } = await chooseWholeName(services, actor, { typed: args.player, servers });
    const binding = named ?? live?.binding;
    if (binding !== undefined) await refuseKind(services, actor, { kind: args.kind, servers: [binding] });
    return await write(services, actor, { ...args, player, binding, answer });
  },
});

const show = defineEntry<{ readonly number: number }>({
  description: "Show a case and its changes",
  first: "ephemeral",
  options: [numberOption],
  parse: (options) => ({ number: options.number("number", true) }),
  async execute({ actor, args, answer }, services) {
    const one = await caseOf(services, actor, args.number);
    keepUntold(services, one, { which: "shown", answer });
    return await shown(services, one, actor);
  },
});

const search = defineEntry<SearchArgs>({
  description: "Find cases, newest first",
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
  description: "Change a case's reason or evidence. Its history keeps the old text",
  first: "ephemeral",
  options: [
    numberOption,
    reasonOption,
    evidenceOption,
    { type: flag, name: "drop-evidence", description: "Remove its link" },
  ],
  parse: (options) => ({
    number: options.number("number", true),
    reason: options.string("reason")?.trim(),
    evidence: evidenceOf(options.string("evidence")),
    dropsEvidence: options.boolean("drop-evidence") ?? false,
  }),
  async execute({ actor, args }, services) {
    const { number, reason, evidence, dropsEvidence } = args;
    const link = dropsEvidence ? "" : evidence;
    if ((reason === undefined || reason === "") && link === undefined) {
      throw new Failure("bad-command", "Say what to change: reason: or evidence:.");
    }
    const before = await caseOf(services, actor, number);
    await refuseAgainstOneself(services, actor, before);
    const one = await services.cases.edit(actor, number, {
      ...(reason === undefined || reason === "" ? {} : { reason }),
      ...(link === undefined ? {} : { evidence: link }),
    });
    if (one === undefined) throw new Failure("bad-command", `There is no case ${number}.`);
    // Of many changes only the latest are kept, so that their number says nothing.
    if (one.reason === before.reason && one.evidence === before.evidence) {
      return {
        ...(await shown(services, one, actor)),
        content: md`Nothing changed: the case already says that.`,
      };
    }
    const fields = [
      ...(reason === undefined || reason === "" ? [] : ["reason"]),
      ...(link === undefined ? [] : ["evidence"]),
    ];
    await recordEvent(services, actor, { action: "case-edit", text: `${number}: ${fields.join(", ")}` });
    return { ...(await shown(services, one, actor)), content: md`✅ Case ${number} updated.` };
  },
});

const revoke = defineEntry<{ readonly number: number; readonly reason: string | undefined }>({
  description: "Revoke a case: it stays visible, crossed out, and no longer counts",
  first: "ephemeral",
  options: [numberOption, { ...reasonOption, description: "Why it is revoked" }],
  parse: (options) => ({ number: options.number("number", true), reason: options.string("reason") }),
  async execute({ actor, args: { number, reason } }, services) {
    const before = await caseOf(services, actor, number);
    await refuseAgainstOneself(services, actor, before);
    const already = async (one: Case) => ({
      ...(await shown(services, one, actor)),
      content: md`Case ${number} is already revoked.`,
    });
    if (before.revoked !== undefined) return await already(before);
    const one = await services.cases.revoke(actor, number, reason);
    if (one === undefined) throw new Failure("bad-command", `There is no case ${number}.`);
    // Somebody else was faster: theirs is the reason that the case has.
    if (one.revoked?.byId !== actor.userId) return await already(one);
    await recordEvent(services, actor, {
      action: "case-revoke",
      text: `${number}${reason === undefined ? "" : `: ${reason}`}`,
    });
    const hint = await staysWords(services, actor, one);
    const card = { ...(await shown(services, one, actor)), content: md`↩️ Case ${number} revoked.${hint}` };
    showRevoked(services, one, card);
    return card;
  },
});

export const cases = defineCommand({
  name: "case",
  description: "Notes, warnings and punishments",
  subcommands: { add, ask: askForBan, show, search, edit, revoke },
  actions: {
    ...askActions,
    ...appealActions,
    "case-open": defineAction({
      first: "ephemeral",
      async execute({ actor, values }, services) {
        return await shown(services, await caseOf(services, actor, numberIn(values[0] ?? "")), actor);
      },
    }),
    "case-older": defineAction({
      first: "update",
      async execute({ actor, argument }, services) {
        const [, before = "", filter = ""] = /^(\d+)\/(.*)$/s.exec(argument) ?? [];
        return await foundCases(services, actor, { filter, before: numberIn(before) });
      },
    }),
    "case-newest": defineAction({
      first: "update",
      async execute({ actor, argument }, services) {
        return await foundCases(services, actor, { filter: argument });
      },
    }),
    /** Under the outcome of a run. */
    "case-of": defineAction({
      first: "ephemeral",
      async execute({ actor, argument }, services) {
        const [number = ""] = firstOf(argument);
        return await shown(services, await caseOf(services, actor, numberIn(number)), actor);
      },
    }),
    "case-tell": defineAction({ first: "ephemeral", runs: true, execute: tellWarned }),
    // A form must be the first answer, so the right is checked when it is submitted.
    "case-reason": defineFormAction({
      first: "modal",
      form({ argument }) {
        const [number = "", about] = firstOf(argument);
        return reasonForm(`case-reasoned:${number}`, formTitle(`Case ${number}:`, about, "reason"));
      },
    }),
    "case-reasoned": defineAction({
      first: "ephemeral",
      async execute(press, services) {
        const number = numberIn(press.argument);
        const one = await services.cases.get(press.actor.guildId, number);
        if (one === undefined) throw new Failure("bad-command", `There is no case ${number}.`);
        return await giveReason(services, press, one);
      },
    }),
    /** Under the outcome of a run: its case is known by the run. */
    "case-why": defineFormAction({
      first: "modal",
      form({ argument }) {
        const [runId = "", command] = firstOf(argument);
        return reasonForm(`case-why-said:${runId}`, formTitle("Reason for", command, "this punishment"));
      },
    }),
    "case-why-said": defineAction({
      first: "ephemeral",
      async execute(press, services) {
        const one = await services.cases.ofRun(press.actor.guildId, press.argument);
        if (one === undefined) {
          throw new Failure("expired", "This command's case is not saved yet. Try again in a moment.");
        }
        return await giveReason(services, press, one);
      },
    }),
  },
});
