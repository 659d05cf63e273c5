import { Buffer } from "node:buffer";
import { LRUCache } from "lru-cache";
import type { SourceId } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { ServerKey } from "../../domain/server-key.ts";
import { BLANK, SharedRuns } from "./shared-runs.ts";

/** A run that text and key share from this length on is part of the key. A shorter one may be any word. */
const LONGEST_RUN_CHARS = 8;
const SHORTEST_RUN_CHARS = 6;
/** A shorter key cannot be distinguished from ordinary words; no service gives such keys. */
const SHORTEST_KEY_CHARS = 4;
/** Errors and outcomes of commands are shorter than this, polls of a server with players longer. */
const SHORT_BODY_CHARS = 1_024;
/** Escapes of ASCII letters, in JSON or as in an address: the text of the body then hides what its strings say. */
const ESCAPED_LETTERS = /\\u00[2-7]|(?:%[2-7][0-9a-f]){6}/i;
const EDGE_CHARS = 2;
/** With more servers each is asked so seldom that finding its forms anew, 50 to 180 us, costs less than 2.4 KB of each. */
const MOST_KEPT = 1_000;
const KEPT_MS = 15 * 60_000;

/**
 * Takes the keys of one request out of what its answer says. The service's words reach Discord, the database and the
 * log, and they may repeat what they were sent: as it is, in part, as base64, as hex or URL-encoded.
 */
export class KeyBlanker {
  readonly #forms: readonly string[];
  readonly #runChars: number;
  /** Each half of each form: what a whole body is searched for before its strings are looked at one by one. */
  readonly #markers: readonly string[];
  #runs: SharedRuns | undefined;

  /** @param keys All keys that the request carried: the server's, and the host's global key where there is one. */
  constructor(keys: readonly ServerKey[]) {
    const values = keys.map((key) => key.reveal()).filter((value) => value.length >= SHORTEST_KEY_CHARS);
    const shortest = Math.min(...values.map((value) => value.length));
    const half = Math.max(SHORTEST_RUN_CHARS, Math.floor(shortest / 2));
    this.#runChars = Math.min(LONGEST_RUN_CHARS, half, shortest);
    this.#forms = [...new Set(values.flatMap(formsOf))];
    const markers = new Set(values.flatMap(markersOf));
    this.#markers = [...markers].filter((marker) => marker.length >= this.#runChars);
  }

  /**
   * JSON.parse without the keys. A body of a poll is searched for halves of the keys first, which costs some microseconds;
   * only where one stands, or where escapes hide what the strings say, is each string looked at. A short body, an error
   * or an outcome, is always looked at string by string.
   */
  parse(body: string): unknown {
    const json: unknown = JSON.parse(body);
    if (this.#forms.length === 0) return json;
    if (body.length > SHORT_BODY_CHARS && !this.#suspects(body)) return json;
    this.#runs ??= new SharedRuns(this.#forms, this.#runChars);
    return blanked(json, this.#runs);
  }

  #suspects(body: string): boolean {
    if (this.#markers.some((marker) => body.includes(marker))) return true;
    return (body.includes("\\u00") || body.includes("%")) && ESCAPED_LETTERS.test(body);
  }
}

/** The blankers of the sources that are asked; to find the forms of a key anew for each answer would cost too much. */
export class KeyBlankers {
  readonly #globalKey: ServerKey | undefined;
  readonly #kept: LRUCache<SourceId, KeyBlanker>;

  constructor(globalKey: ServerKey | undefined, clock: Pick<Clock, "monotonicMs">) {
    this.#globalKey = globalKey;
    this.#kept = new LRUCache({
      max: MOST_KEPT,
      ttl: KEPT_MS,
      updateAgeOnGet: true,
      perf: { now: () => clock.monotonicMs() },
    });
  }

  /** The blanker for requests with this source's key. */
  of(source: SourceId, key: ServerKey): KeyBlanker {
    const kept = this.#kept.get(source);
    if (kept !== undefined) return kept;
    const blanker = new KeyBlanker(this.#globalKey === undefined ? [key] : [key, this.#globalKey]);
    this.#kept.set(source, blanker);
    return blanker;
  }
}

function blanked(value: unknown, runs: SharedRuns): unknown {
  if (typeof value === "string") return runs.blank(value);
  if (typeof value === "number") return runs.blank(String(value)) === String(value) ? value : BLANK;
  if (Array.isArray(value)) return value.map((item) => blanked(item, runs));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [runs.blank(name), blanked(inner, runs)]),
  );
}

/** How a key can be written. */
function formsOf(value: string): readonly string[] {
  const hex = Buffer.from(value, "utf8").toString("hex");
  const percent = hex.replace(/../g, (byte) => `%${byte}`);
  const backwards = [...value].reverse().join("");
  const written = [value, encodeURIComponent(value), hex, percent, backwards];
  return [...written, ...base64Of(value)];
}

/**
 * A key inside a longer base64 text begins at one of three places of its groups. The first characters depend on the
 * bytes before, the last ones on the bytes behind: only the middle is the key's.
 */
function base64Of(value: string): readonly string[] {
  const bytes = Buffer.from(value, "utf8");
  return [0, 1, 2].flatMap((shift) => {
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes]);
    const text = shifted.toString("base64").replace(/=+$/, "");
    const middle = text.slice(Math.ceil((shift * 8) / 6), Math.floor((shifted.length * 8) / 6));
    return [...new Set([middle, middle.replaceAll("+", "-").replaceAll("/", "_")])];
  });
}

/**
 * What the body of a poll is searched for: the halves of the key, what stands between its hyphens, and the first half
 * of what encodes it. Each marker costs about a microsecond in each poll, so stranger spellings are left to the short
 * answers, where the service speaks.
 */
function markersOf(value: string): readonly string[] {
  const middle = Math.floor(value.length / 2);
  const hyphen = value.indexOf("-");
  const isEven = hyphen >= LONGEST_RUN_CHARS && value.length - hyphen > LONGEST_RUN_CHARS;
  const firstEnd = isEven ? Math.min(middle, hyphen) : middle;
  const secondStart = isEven ? Math.max(middle, hyphen + 1) : middle;
  const hex = Buffer.from(value, "utf8").toString("hex");
  const encoded = [...base64Of(value), hex, hex.toUpperCase()];
  const halves = encoded.map((form) => form.slice(0, Math.floor(form.length / 2)));
  const plain = [value.slice(0, firstEnd), value.slice(secondStart)];
  // What stands in another marker would only be searched for twice.
  return [...plain, ...halves.filter((half) => !half.startsWith(value.slice(0, firstEnd)))].map(quickToFind);
}

/**
 * A part of the marker that begins with a letter that log rows rarely hold: the search leaps from one such letter to the
 * next, so a frequent one makes it several times as slow. The last characters are left out: where half a key was
 * encoded, they are not those of the whole.
 */
function quickToFind(marker: string): string {
  const end = Math.max(LONGEST_RUN_CHARS, marker.length - EDGE_CHARS);
  let best = 0;
  for (let at = 1; at + LONGEST_RUN_CHARS <= end; at++)
    if (frequency(marker.charAt(at)) < frequency(marker.charAt(best))) best = at;
  return marker.slice(best, end);
}

/** How often a letter stands in log rows, roughly: field names begin with some capitals, and digits are everywhere. */
function frequency(letter: string): number {
  if (/[QXZVWYUGHFOE%=+]/.test(letter)) return 0;
  if (/[ABDINRSqxzjwbf]/.test(letter)) return 1;
  if (/[CLMv_cdhpku-]/.test(letter)) return 2;
  return /[0-9:,"]/.test(letter) ? 4 : 3;
}
