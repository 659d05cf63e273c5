import type { PlayerRef } from "../../domain/model.ts";

/** An epoch number above this counts milliseconds: the service's own numbers are seconds, an odd answer may differ. */
const EPOCH_MS_FROM = 1e12;
/** The digits of the largest whole number that a double holds exactly. */
const MOST_ID_DIGITS = 16;

/** More than the names in a server's logs at once, so that two rarely share a place. A power of two. */
const PLACES = 256;

interface ReadRef {
  readonly value: string;
  readonly ref: PlayerRef;
}

/**
 * Mostly gives one object for a player of an answer, however many rows name them: names and ids are most of what a
 * snapshot holds. A Map would hash the name of each row, which costs a fifth of what undici takes for the whole answer.
 */
export class PlayerRefs {
  /** By the last three signs, which differ most between ids. Two names of one place displace each other. */
  readonly #places: (ReadRef | undefined)[] = [];

  /** As `playerRef`. */
  of(value: string): PlayerRef | undefined {
    const last = value.length - 1;
    const sum = value.charCodeAt(last) + 10 * value.charCodeAt(last - 1) + 100 * value.charCodeAt(last - 2);
    const place = sum & (PLACES - 1);
    const known = this.#places[place];
    if (known?.value === value) return known.ref;
    const ref = playerRef(value);
    if (ref !== undefined) this.#places[place] = { value, ref };
    return ref;
  }
}

/** `name:id`; a bare name has no id ("Remote Server"). Undefined when there is no name. */
export function playerRef(value: string): PlayerRef | undefined {
  const colon = value.lastIndexOf(":");
  const digits = value.slice(colon + 1);
  const isPair = colon >= 0 && digits.length <= MOST_ID_DIGITS && /^\d*$/.test(digits);
  const name = isPair ? value.slice(0, colon) : value;
  if (name.trim() === "") return undefined;
  if (!isPair || digits === "") return { name };
  const id = Number(digits);
  return Number.isSafeInteger(id) ? { name, id } : { name };
}

/** Epoch seconds of a time that counts seconds or milliseconds; undefined when it is no time. */
export function epochS(value: number): number | undefined {
  if (!(value > 0) || value === Number.POSITIVE_INFINITY) return undefined;
  return Math.floor(value > EPOCH_MS_FROM ? value / 1_000 : value);
}
