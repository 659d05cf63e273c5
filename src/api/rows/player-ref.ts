import type { PlayerRef } from "../../domain/model.ts";

/** An epoch number above this counts milliseconds: the service's own numbers are seconds, an odd answer may differ. */
const EPOCH_MS_FROM = 1e12;
const COLON = 58;

/** More names than a server's logs show at once; then the oldest are no longer worth keeping. */
const MOST_REFS = 512;

/**
 * Gives one object for each player, however many rows name them: the logs of a server name the same few again and
 * again, and their names and ids would be most of what a snapshot keeps in memory.
 */
export class PlayerRefs {
  readonly #known = new Map<string, PlayerRef | undefined>();

  /** As `playerRef`. */
  of(value: string): PlayerRef | undefined {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    if (this.#known.size >= MOST_REFS) this.#known.clear();
    const made = playerRef(value);
    this.#known.set(value, made);
    return made;
  }
}

/** `name:id`; a bare name has no id ("Remote Server"). Undefined when there is no name. */
export function playerRef(value: string): PlayerRef | undefined {
  // Runs for each name of each row: one pass from the end, in small whole numbers, costs a third of lastIndexOf and
  // Number. An id has at most 16 digits: 8 low ones, the others high.
  let low = 0;
  let high = 0;
  let scale = 1;
  let at = value.length - 1;
  for (; at >= 0; at--) {
    const digit = value.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) break;
    const place = value.length - 1 - at;
    if (place === 8) scale = 1;
    if (place < 8) low += digit * scale;
    else high += digit * scale;
    scale *= 10;
  }
  const digits = value.length - 1 - at;
  if (at < 0 || value.charCodeAt(at) !== COLON || digits > 16) return bareName(value);
  const name = value.slice(0, at);
  if (isBlank(name)) return undefined;
  if (digits === 0) return { name };
  const id = high * 1e8 + low;
  return Number.isSafeInteger(id) ? { name, id } : { name };
}

function bareName(name: string): PlayerRef | undefined {
  return isBlank(name) ? undefined : { name };
}

function isBlank(name: string): boolean {
  return name.charCodeAt(0) > 32 ? false : name.trim() === "";
}

/** Epoch seconds of a time that counts seconds or milliseconds; undefined when it is no time. */
export function epochS(value: number): number | undefined {
  if (!(value > 0) || value === Number.POSITIVE_INFINITY) return undefined;
  return Math.floor(value > EPOCH_MS_FROM ? value / 1_000 : value);
}
