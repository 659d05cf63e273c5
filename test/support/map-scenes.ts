import type { HistoryRow } from "../../src/domain/history.ts";
import type { Spot, Track } from "../../src/domain/track.ts";
import type { PlayerRef } from "../../src/sandbox/service/town/record.ts";
import { Town } from "../../src/sandbox/service/town/town.ts";

/** Scenes in the emulated town of which it is known what happened, as looks of any pace show them. */

export type Verdict = "rdm" | "fair" | "unclear";

/** A point of somebody's way: where, and at which second of the scene. The kill is at second 90. */
type Way = readonly (readonly [x: number, z: number, atS: number])[];

interface Actor {
  readonly way: Way;
  /** When they come into the server, where it is not before the scene. */
  readonly fromS?: number;
}

interface SceneOf {
  readonly verdict: Verdict;
  readonly killer: Actor;
  readonly victim: Actor;
  readonly others?: readonly Way[];
  /** Further victims, and when. */
  readonly more?: readonly { readonly atS: number; readonly way: Way }[];
}

export interface PlayedScene {
  readonly verdict: Verdict;
  readonly track: Track;
  readonly rows: readonly HistoryRow[];
  readonly atS: number;
  readonly playerIds: readonly number[];
}

const KILL_S = 90;
const END_S = 120;
const START_S = 1_763_755_200;
const BINDING = "town";

/** Standing at one place all the time. */
const stays = (x: number, z: number): Way => [[x, z, 0]];

/** Going round somebody, a corner each `everyS`. */
const around = (x: number, z: number, from: number, to: number, everyS = 7): Way =>
  Array.from({ length: Math.floor((to - from) / everyS) + 1 }, (_, n) => [
    x + 55 * Math.cos(n * 1.7),
    z + 55 * Math.sin(n * 1.7),
    from + n * everyS,
  ]);

export const SCENES: readonly SceneOf[] = [
  // Drives up to somebody who stands there, and on.
  {
    verdict: "rdm",
    killer: {
      way: [
        [420, 1_560, 0],
        [980, 1_560, 60],
        [1_180, 1_562, 86],
        [1_190, 1_562, 94],
        [1_900, 1_560, 120],
      ],
    },
    victim: { way: stays(1_200, 1_566) },
    others: [
      [
        [1_560, 300, 0],
        [1_560, 2_200, 120],
      ],
    ],
  },
  // Walks through a park and kills three who stand there, one after the other.
  {
    verdict: "rdm",
    killer: {
      way: [
        [1_140, 1_280, 0],
        [1_240, 1_330, 40],
        [1_330, 1_380, 65],
        [1_420, 1_440, 90],
        [1_480, 1_490, 120],
      ],
    },
    victim: { way: stays(1_424, 1_446) },
    more: [
      { atS: 42, way: stays(1_246, 1_336) },
      { atS: 67, way: stays(1_336, 1_388) },
    ],
  },
  // Comes from behind to somebody who walks, and turns back.
  {
    verdict: "rdm",
    killer: {
      way: [
        [640, 300, 0],
        [640, 500, 40],
        [640, 905, 88],
        [640, 910, 92],
        [640, 420, 120],
      ],
    },
    victim: {
      way: [
        [600, 700, 0],
        [640, 930, 90],
      ],
    },
  },
  // Drives over somebody at the side of the road without stopping.
  {
    verdict: "rdm",
    killer: {
      way: [
        [300, 2_640, 0],
        [2_760, 2_640, 120],
      ],
    },
    victim: { way: stays(2_145, 2_648) },
    others: [stays(2_500, 2_500)],
  },
  // Both come, and fight around one another for forty seconds.
  {
    verdict: "fair",
    killer: { way: [[1_700, 980, 0], [1_920, 980, 40], ...around(1_960, 990, 48, 90)] },
    victim: { way: [[2_300, 980, 0], [2_010, 980, 42], ...around(1_985, 985, 50, 90, 8)] },
  },
  // Stands opposite for half a minute, each moving a little, then it comes to shots.
  {
    verdict: "fair",
    killer: {
      way: [
        [2_060, 1_400, 0],
        [2_060, 1_190, 45],
        [2_075, 1_180, 60],
        [2_050, 1_172, 75],
        [2_070, 1_168, 90],
      ],
    },
    victim: {
      way: [
        [2_120, 1_080, 0],
        [2_120, 1_110, 50],
        [2_105, 1_120, 62],
        [2_125, 1_128, 76],
        [2_108, 1_122, 90],
      ],
    },
    others: [stays(2_090, 1_300)],
  },
  // A chase over two streets, both stop at its end.
  {
    verdict: "fair",
    killer: {
      way: [
        [500, 1_560, 0],
        [1_550, 1_560, 50],
        [1_560, 1_300, 66],
        [1_560, 1_010, 80],
        [1_575, 1_000, 90],
      ],
    },
    victim: {
      way: [
        [640, 1_560, 0],
        [1_560, 1_560, 46],
        [1_560, 1_240, 62],
        [1_560, 985, 74],
        [1_590, 970, 90],
      ],
    },
  },
  // Nobody is near anybody when it happens.
  {
    verdict: "unclear",
    killer: {
      way: [
        [2_420, 1_750, 0],
        [2_420, 2_100, 120],
      ],
    },
    victim: {
      way: [
        [700, 700, 0],
        [800, 740, 120],
      ],
    },
  },
  // The one who dies is seen for the first time at the end.
  {
    verdict: "unclear",
    killer: {
      way: [
        [1_010, 1_900, 0],
        [1_000, 2_000, 60],
        [1_005, 2_020, 120],
      ],
    },
    victim: { way: stays(1_040, 2_030), fromS: 88 },
  },
  // A crowd on one spot, all of them together from the first look on.
  {
    verdict: "unclear",
    killer: { way: around(1_800, 700, 0, 120, 20) },
    victim: { way: around(1_810, 706, 0, 90, 18) },
    others: [1, 2, 3, 4, 5].map((n) => around(1_795 + 5 * n, 695 + 4 * n, 0, 120, 11 + n)),
  },
];

/** The scene as looks each `everyS` show it; what is true is what the town itself says. */
export function playScene(scene: SceneOf, everyS: number): PlayedScene {
  let nowS = START_S;
  const town = new Town(1, () => nowS * 1_000, {
    initialPlayers: 0,
    intensity: 0,
    range: { min: 0, max: 40 },
  });
  town.pause();
  const comes = ({ way, fromS = -1 }: Actor, name: string) => ({
    way,
    fromS,
    name,
    ref: undefined as PlayerRef | undefined,
  });
  const cast = [
    comes(scene.killer, "Riley_Stone"),
    comes(scene.victim, "Casey_Holt"),
    ...(scene.more ?? []).map(({ way }, n) => comes({ way }, `Drew_Park${n + 1}`)),
    ...(scene.others ?? []).map((way, n) => comes({ way }, `Sam_Rivers${n + 1}`)),
  ];
  const looksS: number[] = [];
  const spots = new Map<string, (Spot | null)[]>(cast.map(({ name }) => [name, []]));
  const rows: HistoryRow[] = [];
  const kills = [
    { atS: KILL_S, victim: cast[1] },
    ...(scene.more ?? []).map(({ atS }, n) => ({ atS, victim: cast[2 + n] })),
  ];
  for (let second = 0; second <= END_S; second += 1) {
    nowS = START_S + second;
    town.advanceTo(nowS * 1_000);
    for (const one of cast) {
      if (one.ref !== undefined || second < one.fromS) continue;
      one.ref = town.join(one.name);
      town.lead(
        one.ref,
        one.way.map(([x, z, atS]) => [x, z, START_S + atS]),
      );
    }
    for (const { victim } of kills.filter(({ atS }) => atS === second)) {
      const killer = cast[0]?.ref;
      if (killer === undefined || victim?.ref === undefined) continue;
      town.kill(killer, victim.ref);
      rows.push({ bindingId: BINDING, atS: nowS, kind: "kill", killer, killed: victim.ref });
    }
    if (second % everyS !== 0) continue;
    looksS.push(nowS);
    for (const { name, ref } of cast) spots.get(name)?.push(ref === undefined ? null : spotOf(town, ref));
  }
  const ids = [cast[0]?.ref?.id, cast[1]?.ref?.id].filter((id) => id !== undefined);
  const players = cast.flatMap(({ name, ref }) =>
    ref === undefined ? [] : [{ player: ref, spots: spots.get(name) ?? [] }],
  );
  return {
    verdict: scene.verdict,
    track: { bindingId: BINDING, looksS, players },
    rows,
    atS: START_S + KILL_S,
    playerIds: ids,
  };
}

/** Where the town has somebody now, as an answer of the service would say it. */
export function spotOf(town: Town, { id }: PlayerRef): Spot | null {
  const player = town.world.find(id);
  if (player === undefined) return null;
  const { x, z, streetName, postalCode } = town.world.placeOf(player);
  return { x: Math.round(x), z: Math.round(z), team: player.team, street: streetName, postal: postalCode };
}
