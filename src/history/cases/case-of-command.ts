import {
  type CaseDraft,
  type CaseTarget,
  type CaseTold,
  type CaseUndo,
  type RunKind,
  runKinds,
} from "../../domain/case.ts";
import { type Aim, type Around, isSamePlayer, whomItPunishes } from "../../domain/command-hits.ts";
import type { Binding } from "../../domain/guild.ts";
import type { CommandEntry, PlayerRef } from "../../domain/model.ts";
import type { JournalItem } from "../../domain/ports/journal.ts";
import { isAutomatic, type ParsedCommand, type RunRecord, surelyRan } from "../../domain/run.ts";
import { REASON_BY_ORIGIN } from "../../domain/run-case.ts";
import { ofRunRecord } from "./receipt.ts";

/** From a command, ours or one that somebody typed in the game, to the case that it becomes. Pure. */

/** The meaning of a command text by the catalogue; undefined: the catalogue cannot read it. */
export type ReadCommand = (text: string) => (Aim & Pick<ParsedCommand, "verb" | "mass" | "rest">) | undefined;

/** Longest reason that is taken from a command text. */
const LONGEST_REASON = 500;
/** Somebody may name two hundred people with commas; all of them still fit one card's search. */
const MOST_TARGETS = 250;

interface Punishment {
  readonly kind: RunKind;
  readonly aim: Aim;
  readonly mass: boolean;
  readonly reason?: string;
}

/** Undefined for every command that neither punishes nor lifts a punishment. */
export function punishmentIn(text: string, read: ReadCommand): Punishment | undefined {
  const command = read(text);
  const kind = runKinds.find((one) => one === command?.verb);
  if (command === undefined || kind === undefined) return undefined;
  const { mass, rest = "" } = command;
  if (command.targetTexts.length === 0) return undefined;
  const reason = rest.trim().slice(0, LONGEST_REASON);
  return { kind, aim: command, mass, ...(reason === "" ? {} : { reason }) };
}

/** Who a command can have hit. */
export interface Surroundings extends Omit<Around, "author"> {
  /** The account of the member who ran it. */
  readonly self?: PlayerRef | undefined;
}

/**
 * The players whom a command hit. A name that nobody there had stays text, unless exactly one player who is known has
 * that whole name. Empty: it punished nobody, as one on oneself.
 */
export function targetsOf(aim: Aim, around: Surroundings, author?: PlayerRef): readonly CaseTarget[] {
  const { players, unknown } = whomItPunishes(aim, { ...around, author }, around.self);
  const named = unknown.map((text) => {
    const whole = around.absent.filter(({ name }) => name.toLowerCase() === text.trim().toLowerCase());
    const [only] = whole;
    return only !== undefined && whole.every(({ id }) => id === only.id) ? only : { name: text };
  });
  const isOneself = (player: PlayerRef) => isSamePlayer(player, author) || isSamePlayer(player, around.self);
  return [...players, ...named.filter((player) => !isOneself(player))].slice(0, MOST_TARGETS).map(targetOf);
}

function targetOf({ name, id }: PlayerRef): CaseTarget {
  return { name, ...(id === undefined ? {} : { playerId: id }) };
}

/** The origin of the case of a run of ours. */
export function originOfRun(runId: string): string {
  return `run ${runId}`;
}

/** What a run took back, where it surely ran; undefined: nothing. */
export function undoOfRun(record: RunRecord): (CaseUndo & { readonly undoneId: string }) | undefined {
  const { id, undoes, verb, sentAtMs, askedAtMs, actorId } = record;
  if (undoes === undefined || verb === undefined || !surelyRan(record)) return undefined;
  return { undoneId: undoes, runId: id, verb, atMs: sentAtMs ?? askedAtMs, byId: actorId };
}

/** The warning of which a run told its player, where it surely ran; undefined: none. */
export function toldByRun(record: RunRecord): (CaseTold & { readonly number: number }) | undefined {
  const { tells, sentAtMs, askedAtMs, actorId } = record;
  if (tells === undefined || !surelyRan(record)) return undefined;
  return { number: tells, atMs: sentAtMs ?? askedAtMs, byId: actorId };
}

/** Undefined where it punishes nobody, or surely did not run, or is not over. */
export function caseOfRun(record: RunRecord, around: Surroundings, read: ReadCommand): CaseDraft | undefined {
  if (record.status !== "done" && record.status !== "unknown") return undefined;
  const punishment = punishmentIn(record.text, read);
  if (punishment === undefined) return undefined;
  const { kind, aim, mass, reason } = punishment;
  const targets = targetsOf(aim, around);
  if (targets.length === 0) return undefined;
  const why = reason ?? REASON_BY_ORIGIN[record.origin];
  return {
    guildId: record.guildId,
    kind,
    bindingId: record.bindingId,
    serverName: record.serverName,
    targets,
    mass,
    // What runs by itself is no work of who set it.
    author: isAutomatic(record.origin)
      ? { name: "Marshal" }
      : { name: record.actorName, userId: record.actorId },
    ...(record.askedBy === undefined ? {} : { askedBy: record.askedBy }),
    atMs: record.sentAtMs ?? record.askedAtMs,
    ...(why === undefined ? {} : { reason: why }),
    command: record.text,
    origin: originOfRun(record.id),
    receipt: ofRunRecord(record),
    ...(record.ends?.atMs === undefined ? {} : { endsAtMs: record.ends.atMs }),
  };
}

export interface LoggedCommand {
  readonly row: CommandEntry;
  /** Among equal rows of one second, from 0. */
  readonly ordinal: number;
}

/** Rows of people with a place among equal ones: commands that came through an API bear no id and are nobody's. */
export function humanRows(rows: readonly CommandEntry[]): readonly LoggedCommand[] {
  const counts = new Map<string, number>();
  return rows.filter(isHuman).map((row) => {
    const key = `${row.atS} ${row.player.id} ${row.text}`;
    const ordinal = counts.get(key) ?? 0;
    counts.set(key, ordinal + 1);
    return { row, ordinal };
  });
}

/** A row of the journal, where it is a command that a player typed. */
export function humanCommand(item: JournalItem): readonly LoggedCommand[] {
  if (item.kind !== "entry" || item.entry.kind !== "command" || !isHuman(item.entry)) return [];
  return [{ row: item.entry, ordinal: item.ordinal ?? 0 }];
}

/** Typed by a player, and not sent through an API. */
function isHuman({ player }: CommandEntry): boolean {
  return player.id !== undefined && player.name.toLowerCase() !== "remote server";
}

export interface LogFacts {
  readonly binding: Pick<Binding, "id" | "guildId" | "name">;
  readonly around: Omit<Surroundings, "self">;
  /** The member to whom the player is linked. */
  readonly userId?: string | undefined;
  readonly read: ReadCommand;
}

/** The origin of the case of a row, within a Discord server: the same row, read again, is the same case. */
export function originOfRow(bindingId: string, { row, ordinal }: LoggedCommand): string {
  return `row ${bindingId} ${row.atS} ${row.player.id ?? ""} ${ordinal} ${row.text.slice(0, 200)}`;
}

/** Its time is that of a row, by the service's clock. */
export function isOfRow(origin: string | undefined): boolean {
  return origin?.startsWith("row ") === true;
}

/** Undefined where the row punishes nobody. */
export function caseOfRow(logged: LoggedCommand, facts: LogFacts): CaseDraft | undefined {
  const { row } = logged;
  const punishment = punishmentIn(row.text, facts.read);
  if (punishment === undefined) return undefined;
  const { binding, around, userId } = facts;
  const { kind, aim, mass, reason } = punishment;
  const targets = targetsOf(aim, around, row.player);
  if (targets.length === 0) return undefined;
  return {
    guildId: binding.guildId,
    kind,
    bindingId: binding.id,
    serverName: binding.name,
    targets,
    mass,
    author: {
      name: row.player.name,
      ...(row.player.id === undefined ? {} : { playerId: row.player.id }),
      ...(userId === undefined ? {} : { userId }),
    },
    atMs: row.atS * 1_000,
    ...(reason === undefined ? {} : { reason }),
    command: row.text,
    origin: originOfRow(binding.id, logged),
    receipt: { log: "row", left: [] },
  };
}
