import type { PlayerRef } from "../../domain/model.ts";

/** An epoch number above this counts milliseconds: the service's own numbers are seconds, an odd answer may differ. */
const EPOCH_MS_FROM = 1e12;
/** The digits of the largest whole number that a double holds exactly. */
const MOST_ID_DIGITS = 16;

/** Gives one object for each player of an answer, however many rows name them: names and ids are most of what a snapshot holds. */
export class PlayerRefs {
  readonly #known = new Map<string, PlayerRef>();

  /** As `playerRef`. */
  of(value: string): PlayerRef | undefined {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const ref = playerRef(value);
    if (ref !== undefined) this.#known.set(value, ref);
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
