import { commandParts, namesInPlace, withNames } from "../../domain/command-names.ts";
import { type Escaped, joined, md } from "../../domain/escaped.ts";
import type { PlayerRef } from "../../domain/model.ts";
import type { RunPlan, RunRecord } from "../../domain/run.ts";
import { cut, escapeMarkdown, inlineCode, inlineName } from "./escape.ts";

/**
 * A command with the names of those whom it hit: in the place of an id, and behind it where its text has only the
 * beginning of a name. Pure.
 */

const MOST_NAMES = 3;
const LONGEST_NAME = 40;
/** A shorter number may be the beginning of a name. */
const ONE_ID = /^\d{5,15}$/u;

/** `:jail Turbo` (Turbo_1803); `:ban Ann`, which was sent with her id. */
export function commandWithHits(text: string, longest: number, hit: readonly PlayerRef[] = []): Escaped {
  const { named, names, more } = shownOf(text, hit);
  const code = inlineCode(named, longest);
  return names.length === 0 ? code : md`${code} (${joined(names.map(escapeMarkdown), ", ")}${more})`;
}

/** The same as plain text. */
export function plainWithHits(text: string, hit: readonly PlayerRef[] = []): string {
  const { named, names, more } = shownOf(text, hit);
  return names.length === 0 ? named : `${named} (${names.join(", ")}${more})`;
}

/** With names in the place of ids, and none behind it: where whom it hits is said beside it. */
export function commandWithNames(text: string, longest: number, players: readonly PlayerRef[]): Escaped {
  return inlineCode(withNames(text, players), longest);
}

/** The text, alone on its line, and where it goes. */
export function commandLine(text: string, serverName: string, hit?: readonly PlayerRef[]): Escaped {
  return md`${commandWithHits(text, 1_000, hit)}\non **${inlineName(serverName)}**`;
}

/** The same of a plan, which names below whom it hits. */
export function planLine(plan: Pick<RunPlan, "request" | "targets">): Escaped {
  const { text, binding } = plan.request;
  const named = planText(plan);
  const line = commandLine(named, binding.name);
  return named === text ? line : md`${line}\n-# Sent with the player's id, so it can't hit anybody else.`;
}

/** A text of a plan with names in the place of ids. */
export function planText(
  { request, targets }: Pick<RunPlan, "request" | "targets">,
  text: string = request.text,
): string {
  return withNames(
    text,
    targets.flatMap(({ players }) => players),
  );
}

/** Whom a run hit. */
export function hitOf({ hit = [], byId = [] }: Pick<RunRecord, "hit" | "byId">): readonly PlayerRef[] {
  const others = hit.filter((name) => !byId.some((player) => player.name === name));
  return [...byId, ...others.map((name) => ({ name }))];
}

/** Nothing that the game answers says whom it took a name for. */
export function alikeLines({ alike = [], ran }: RunRecord): Escaped[] {
  if (alike.length === 0 || ran === "no") return [];
  const names = joined(
    alike.slice(0, MOST_NAMES).map((name) => md`**${inlineName(name)}**`),
    ", ",
  );
  const left = alike.length > MOST_NAMES ? md` and ${alike.length - MOST_NAMES} more` : md``;
  return [md`⚠ It may have hit ${names}${left} too: the game finds players by how their names begin.`];
}

function shownOf(text: string, hit: readonly PlayerRef[]) {
  const players = withTheirId(text, hit);
  const inPlace = namesInPlace(text, players);
  const behind = players.filter(({ id }) => id === undefined || !inPlace.has(id));
  const names = behind.slice(0, MOST_NAMES).map(({ name }) => cut(name, LONGEST_NAME));
  const left = behind.length - names.length;
  return { named: withNames(text, players), names, more: left === 0 ? md`` : md` and ${left} more` };
}

/** Rows of earlier versions have names alone: of one player who was hit by one id, it is theirs. */
function withTheirId(text: string, hit: readonly PlayerRef[]): readonly PlayerRef[] {
  const [only, ...more] = hit;
  const { targets } = commandParts(text);
  if (only === undefined || only.id !== undefined || more.length > 0 || !ONE_ID.test(targets)) return hit;
  return [{ name: only.name, id: Number(targets) }];
}
