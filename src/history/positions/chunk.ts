import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Spot } from "../../domain/track.ts";
import { BytesOut, bytesIn } from "./varints.ts";

/** The looks of one minute, in few bytes: by columns, as differences, compressed. Pure. */

export interface Look {
  readonly atS: number;
  /** By the number of the person. */
  readonly spots: ReadonlyMap<number, Spot>;
}

/** Seconds of one chunk. */
const CHUNK_S = 60;
const VERSION = 1;
const NOWHERE = 0;

/** The start of the minute that a second lies in. */
export function chunkOf(atS: number): number {
  return Math.floor(atS / CHUNK_S) * CHUNK_S;
}

/** Looks of one minute, oldest first, each second once. */
export function encodeChunk(looks: readonly Look[]): Uint8Array {
  const people = peopleIn(looks);
  const words = new Map<string, number>();
  const wordOf = (word: string | undefined) => {
    if (word === undefined) return NOWHERE;
    const known = words.get(word) ?? words.size + 1;
    words.set(word, known);
    return known;
  };
  const columns = [new BytesOut(), new BytesOut(), new BytesOut(), new BytesOut()] as const;
  const [there, xs, zs, names] = columns;
  for (const person of people) {
    let before = { x: 0, z: 0, team: 0, street: 0, postal: 0 };
    for (const { spots } of looks) {
      const spot = spots.get(person);
      there.unsigned(spot === undefined ? 0 : 1);
      if (spot === undefined) continue;
      const now = {
        x: spot.x,
        z: spot.z,
        team: wordOf(spot.team),
        street: wordOf(spot.street),
        postal: wordOf(spot.postal),
      };
      xs.signed(now.x - before.x);
      zs.signed(now.z - before.z);
      names.signed(now.team - before.team);
      names.signed(now.street - before.street);
      names.signed(now.postal - before.postal);
      before = now;
    }
  }

  const out = new BytesOut();
  out.unsigned(VERSION);
  out.rising(looks.map(({ atS }) => atS));
  out.rising(people);
  out.unsigned(words.size);
  for (const word of words.keys()) out.text(word);
  return deflateRawSync(Buffer.concat([out.bytes(), ...columns.map((column) => column.bytes())]));
}

/** @throws RangeError where it is of a later form */
export function decodeChunk(body: Uint8Array): readonly Look[] {
  const next = bytesIn(inflateRawSync(body));
  const version = next.unsigned();
  if (version !== VERSION) throw new RangeError(`positions of the form ${version} cannot be read`);
  const times = next.rising();
  const people = next.rising();
  const words = next.times(() => next.text());
  const isThere = people.map(() => times.map(() => next.unsigned() === 1));
  const xs = sumsOf(isThere, () => next.signed());
  const zs = sumsOf(isThere, () => next.signed());
  const looks = times.map((atS) => ({ atS, spots: new Map<number, Spot>() }));
  people.forEach((person, of) => {
    let [team, street, postal] = [0, 0, 0];
    looks.forEach(({ spots }, at) => {
      if (isThere[of]?.[at] !== true) return;
      team += next.signed();
      street += next.signed();
      postal += next.signed();
      spots.set(person, {
        x: xs[of]?.[at] ?? 0,
        z: zs[of]?.[at] ?? 0,
        team: words[team - 1] ?? "",
        ...(street === NOWHERE ? {} : { street: words[street - 1] ?? "" }),
        ...(postal === NOWHERE ? {} : { postal: words[postal - 1] ?? "" }),
      });
    });
  });
  return looks;
}

function sumsOf(
  isThere: readonly (readonly boolean[])[],
  next: () => number,
): readonly (readonly number[])[] {
  return isThere.map((looks) => {
    let sum = 0;
    return looks.map((there) => {
      if (there) sum += next();
      return sum;
    });
  });
}

/** Who is in some looks, by number. */
export function peopleIn(looks: readonly Look[]): readonly number[] {
  return [...new Set(looks.flatMap(({ spots }) => [...spots.keys()]))].sort((a, b) => a - b);
}

/** Numbers between commas, with one at each end, so that a text search finds a whole one. */
export function listOf(numbers: readonly number[]): string {
  return `,${numbers.join(",")},`;
}

export function listedIn(list: string, number: number): boolean {
  return list.includes(`,${number},`);
}
