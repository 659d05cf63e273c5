import type { Town } from "../service/service.ts";
import type { PanelView } from "./panel-view.ts";
import { nameIn } from "./town-levers.ts";

const shown = 8;

interface Happening {
  readonly atMs: number;
  readonly text: string;
}

/** The last of each log, the newest first: the record may hold a million rows, so only its ends are read. */
function happenings(town: Town): readonly Happening[] {
  const { joins, kills, commands, modCalls } = town.record;
  const all: Happening[] = [
    ...joins.slice(-shown).map(({ atS, join, player }) => ({
      atMs: atS * 1_000,
      text: `${nameIn(player)} ${join ? "joined" : "left"}`,
    })),
    ...kills.slice(-shown).map(({ atS, killer, killed }) => ({
      atMs: atS * 1_000,
      text: `${nameIn(killer)} killed ${nameIn(killed)}`,
    })),
    ...commands.slice(-shown).map(({ atS, player, command }) => ({
      atMs: atS * 1_000,
      text: `${nameIn(player)} ran ${command}`,
    })),
    ...modCalls
      .slice(-shown)
      .flatMap(({ atS, caller, moderator, answeredAtS }) => [
        { atMs: atS * 1_000, text: `${nameIn(caller)} called a moderator` },
        ...(moderator === undefined || answeredAtS === undefined
          ? []
          : [{ atMs: answeredAtS * 1_000, text: `${nameIn(moderator)} answered ${nameIn(caller)}` }]),
      ]),
  ];
  // A hostile name may turn the direction of what follows it, or break the line.
  return all
    .toSorted((a, b) => b.atMs - a.atMs)
    .slice(0, shown)
    .map(({ atMs, text }) => ({ atMs, text: text.replace(/[\p{Cc}\p{Cf}]/gu, "") }));
}

/** How the town is doing. */
export function townView(town: Town, key: string): PanelView["town"] {
  const { world } = town;
  return {
    name: world.info.name,
    key,
    players: world.players.length,
    maxPlayers: world.info.maxPlayers,
    queue: world.queue.length,
    intensity: String(town.intensity),
    openModCalls: town.record.modCalls.slice(-100).filter(({ moderator }) => moderator === undefined).length,
    happenings: happenings(town),
  };
}
