import type { PlayerRef } from "../../domain/model.ts";

/** An epoch number above this counts milliseconds: the service's own numbers are seconds, an odd answer may differ. */
const EPOCH_MS_FROM = 1e12;
const COLON = 58;

/** More names than a server's logs show at once; then the oldest are no longer worth keeping. */
const MOST_REFS = 512;

/** A power of two. */
const SLOTS = 128;

interface KnownRef {
  readonly value: string;
  readonly ref: PlayerRef;
  /** Another one of the same slot. */
  readonly next: KnownRef | undefined;
}

/**
 * Gives one object for each player, however many rows name them: the logs of a server name the same few again and
 * again, and their names and ids would be most of what a snapshot keeps in memory. A Map would hash each name of each row,
 * which was a tenth of what it costs to read an answer.
 */
export class PlayerRefs {
  /** By the last signs of the text. Made with the first player: most answers show only rows that were read before. */
  #slots: (KnownRef | undefined)[] | undefined;
  #size = 0;

  /** As `playerRef`. */
  of(value: string): PlayerRef | undefined {
    this.#slots ??= new Array<KnownRef | undefined>(SLOTS).fill(undefined);
    const slots = this.#slots;
    const slot = slotOf(value);
    for (let known = slots[slot]; known !== undefined; known = known.next) {
      if (known.value === value) return known.ref;
    }
    const ref = playerRef(value);
    if (ref === undefined) return undefined;
    if (this.#size >= MOST_REFS) {
      slots.fill(undefined);
      this.#size = 0;
    }
    slots[slot] = { value, ref, next: slots[slot] };
    this.#size += 1;
    return ref;
  }
}

/** By the last three digits of an id, which differ most; any text has a slot. */
function slotOf(value: string): number {
  const last = value.length - 1;
  const number = value.charCodeAt(last) + 10 * value.charCodeAt(last - 1) + 100 * value.charCodeAt(last - 2);
  return number & (SLOTS - 1);
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
