import { type CaseDraft, type CaseTarget, type RunKind, runKinds } from "../../domain/case.ts";
import type { Binding } from "../../domain/guild.ts";
import type { CommandEntry, PlayerRef } from "../../domain/model.ts";
import type { ParsedCommand, RunRecord } from "../../domain/run.ts";
import { ofRunRecord } from "./receipt.ts";

/** From a command, ours or one that somebody typed in the game, to the case that it becomes. Pure. */

/** The meaning of a command text by the catalogue; undefined: the catalogue cannot read it. */
export type ReadCommand = (
  text: string,
) => Pick<ParsedCommand, "verb" | "targetTexts" | "mass" | "rest"> | undefined;

/** Longest reason that is taken from a command text. */
const LONGEST_REASON = 500;
/** Somebody may name two hundred people with commas; all of them still fit one card's search. */
const MOST_TARGETS = 250;

interface Punishment {
  readonly kind: RunKind;
  readonly targetTexts: readonly string[];
  readonly mass: boolean;
  readonly reason?: string;
}

/** Undefined for every command that neither punishes nor lifts a punishment. */
export function punishmentIn(text: string, read: ReadCommand): Punishment | undefined {
  const command = read(text);
  const kind = runKinds.find((one) => one === command?.verb);
  if (command === undefined || kind === undefined) return undefined;
  const { targetTexts, mass, rest = "" } = command;
  if (targetTexts.length === 0) return undefined;
  const reason = rest.trim().slice(0, LONGEST_REASON);
  return { kind, targetTexts, mass, ...(reason === "" ? {} : { reason }) };
}

/**
 * The players that the texts of a command named, found as the game does: by prefix, by id, or everyone.
 * A text that fits nobody or several stays text, since a case must not stand against the wrong player.
 */
export function targetsOf(
  texts: readonly string[],
  present: readonly PlayerRef[],
  by?: PlayerRef,
): readonly CaseTarget[] {
  const people = distinct(present);
  const found = new Map<string, CaseTarget>();
  const add = (target: CaseTarget) => {
    const key = target.playerId === undefined ? `text ${target.name.toLowerCase()}` : `id ${target.playerId}`;
    if (found.size < MOST_TARGETS && !found.has(key)) found.set(key, target);
  };
  for (const text of texts) for (const target of targetsNamed(text, people, by)) add(target);
  return [...found.values()];
}

function targetsNamed(
  text: string,
  people: readonly PlayerRef[],
  by: PlayerRef | undefined,
): readonly CaseTarget[] {
  const wanted = text.trim().toLowerCase();
  const all = wanted === "all";
  if (all || wanted === "others") {
    const hit = people.filter((player) => all || !isSame(player, by));
    return hit.length === 0 ? [{ name: text }] : hit.map(targetOf);
  }
  if (wanted === "me" && by !== undefined) return [targetOf(by)];
  const named = people.filter(({ id }) => id !== undefined && String(id) === wanted);
  const matches =
    named.length > 0 ? named : people.filter(({ name }) => name.toLowerCase().startsWith(wanted));
  const [only] = matches;
  return only === undefined || matches.length > 1 || wanted === "" ? [{ name: text }] : [targetOf(only)];
}

function targetOf({ name, id }: PlayerRef): CaseTarget {
  return { name, ...(id === undefined ? {} : { playerId: id }) };
}

function isSame(one: PlayerRef, other: PlayerRef | undefined): boolean {
  if (other === undefined) return false;
  return one.id === undefined || other.id === undefined ? one.name === other.name : one.id === other.id;
}

/** One player may stand in several lists, now and then without an id. */
function distinct(players: readonly PlayerRef[]): readonly PlayerRef[] {
  const byId = new Map<number, PlayerRef>();
  for (const player of players) if (player.id !== undefined) byId.set(player.id, player);
  const names = new Set([...byId.values()].map(({ name }) => name));
  const bare = new Map<string, PlayerRef>();
  for (const player of players) {
    if (player.id === undefined && !names.has(player.name)) bare.set(player.name, player);
  }
  return [...byId.values(), ...bare.values()];
}

/** The origin of the case of a run of ours. */
export function originOfRun(runId: string): string {
  return `run ${runId}`;
}

/** Undefined where it punishes nobody, or surely did not run, or is not over. */
export function caseOfRun(
  record: RunRecord,
  present: readonly PlayerRef[],
  read: ReadCommand,
): CaseDraft | undefined {
  if (record.status !== "done" && record.status !== "unknown") return undefined;
  const punishment = punishmentIn(record.text, read);
  if (punishment === undefined) return undefined;
  const { kind, mass, reason } = punishment;
  return {
    guildId: record.guildId,
    kind,
    bindingId: record.bindingId,
    serverName: record.serverName,
    targets: targetsOf(punishment.targetTexts, present),
    mass,
    author: { name: record.actorName, userId: record.actorId },
    atMs: record.sentAtMs ?? record.askedAtMs,
    ...(reason === undefined ? {} : { reason }),
    command: record.text,
    origin: originOfRun(record.id),
    receipt: ofRunRecord(record),
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
  return rows
    .filter(({ player }) => player.id !== undefined && player.name.toLowerCase() !== "remote server")
    .map((row) => {
      const key = `${row.atS} ${row.player.id} ${row.text}`;
      const ordinal = counts.get(key) ?? 0;
      counts.set(key, ordinal + 1);
      return { row, ordinal };
    });
}

export interface LogFacts {
  readonly binding: Pick<Binding, "id" | "guildId" | "name">;
  readonly present: readonly PlayerRef[];
  /** The member to whom the player is linked. */
  readonly userId?: string | undefined;
  readonly read: ReadCommand;
}

/** The origin of the case of a row, within a Discord server: the same row, read again, is the same case. */
export function originOfRow(bindingId: string, { row, ordinal }: LoggedCommand): string {
  return `row ${bindingId} ${row.atS} ${row.player.id ?? ""} ${ordinal} ${row.text.slice(0, 200)}`;
}

/** Undefined where the row punishes nobody. */
export function caseOfRow(logged: LoggedCommand, facts: LogFacts): CaseDraft | undefined {
  const { row } = logged;
  const punishment = punishmentIn(row.text, facts.read);
  if (punishment === undefined) return undefined;
  const { binding, present, userId } = facts;
  const { kind, mass, reason } = punishment;
  return {
    guildId: binding.guildId,
    kind,
    bindingId: binding.id,
    serverName: binding.name,
    targets: targetsOf(punishment.targetTexts, present, row.player),
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
