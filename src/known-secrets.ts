/** What stands where a secret stood. */
export const HIDDEN = "[hidden]";

/** Shorter texts occur in ordinary words, so blanking them would destroy the log; no key is that short. */
const SHORTEST_SECRET_CHARACTERS = 6;
/** More keys than a host has linked: the oldest go, so that relinking for years does not fill the memory. */
const MOST_KEYS = 50_000;
/** Typed at once. A flood of typed keys forgets the oldest of them, and nothing else. */
const MOST_TYPED = 1_000;

/** Tokens in Discord's addresses; the holder of one can answer in the bot's name for 15 minutes. */
const TOKEN_IN_ADDRESS = /(\/(?:webhooks|interactions)\/\d+\/)[\w.%-]{16,}/g;

/** Two parts of letters and digits, which is how keys look: neither one of our hyphenated words nor of a date. */
const USUAL_KEY = /^(?=.*[A-Z0-9])(?=.*[A-Za-z])(?=.{16,512}$)[A-Za-z0-9]{4,}-[A-Za-z0-9]{4,}$/;
/** A key of another form is at least as random as this: no word, name or number of ours is. */
const RANDOM_KEY = /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[\x21-\x7e]{20,512}$/;

/** Whether a typed text can be a key. If not, blanking it would let anybody choose words that no output shows any more. */
function canBeKey(text: string): boolean {
  return USUAL_KEY.test(text) || RANDOM_KEY.test(text);
}

/**
 * The secrets that output must not show. The host's own stay for good; of linked keys and of typed ones the oldest go
 * where they are too many, each kind by its own bound.
 */
export class KnownSecrets {
  readonly #texts = new TextFinder();
  readonly #keys = new Set<string>();
  readonly #typed = new Set<{ readonly secret: string }>();

  /** @param own The host's own secrets. */
  constructor(own: readonly string[]) {
    for (const secret of own) this.#texts.add(secret.trim());
  }

  addKey(given: string): void {
    const key = given.trim();
    const isNew = !this.#keys.delete(key);
    this.#keys.add(key);
    if (isNew) this.#texts.add(key);
    const [oldest] = this.#keys;
    if (oldest === undefined || this.#keys.size <= MOST_KEYS) return;
    this.#keys.delete(oldest);
    this.#texts.remove(oldest);
  }

  /** Returns what ends it. */
  addTyped(given: string): () => void {
    const secret = given.trim();
    if (!canBeKey(secret)) return () => {};
    const entry = { secret };
    const end = (ended: typeof entry) => {
      if (this.#typed.delete(ended)) this.#texts.remove(ended.secret);
    };
    this.#typed.add(entry);
    this.#texts.add(secret);
    const [oldest] = this.#typed;
    if (oldest !== undefined && this.#typed.size > MOST_TYPED) end(oldest);
    return () => end(entry);
  }

  /** The text without secrets. */
  conceal(text: string): string {
    return this.#texts.replaceIn(text).replace(TOKEN_IN_ADDRESS, `$1${HIDDEN}`);
  }
}

/**
 * Finds known texts. Ten thousand keys may be known, so they are kept in a map by their first characters and each line is
 * walked once. A text that was added twice stays until it was removed twice.
 */
class TextFinder {
  readonly #byStart = new Map<string, Map<string, number>>();

  add(secret: string): void {
    if (secret.length < SHORTEST_SECRET_CHARACTERS) return;
    for (const form of formsOf(secret)) {
      const start = form.slice(0, SHORTEST_SECRET_CHARACTERS);
      const forms = this.#byStart.get(start) ?? new Map<string, number>();
      forms.set(form, (forms.get(form) ?? 0) + 1);
      this.#byStart.set(start, forms);
    }
  }

  remove(secret: string): void {
    if (secret.length < SHORTEST_SECRET_CHARACTERS) return;
    for (const form of formsOf(secret)) {
      const start = form.slice(0, SHORTEST_SECRET_CHARACTERS);
      const forms = this.#byStart.get(start);
      const count = forms?.get(form) ?? 0;
      if (count > 1) forms?.set(form, count - 1);
      else forms?.delete(form);
      if (forms?.size === 0) this.#byStart.delete(start);
    }
  }

  replaceIn(text: string): string {
    let clean = "";
    let from = 0;
    for (let at = 0; at + SHORTEST_SECRET_CHARACTERS <= text.length; ) {
      const length = this.#lengthAt(text, at);
      if (length === 0) at += 1;
      else {
        clean += text.slice(from, at) + HIDDEN;
        at += length;
        from = at;
      }
    }
    return clean + text.slice(from);
  }

  /** Length of the longest secret at this place: a secret that begins with another must be blanked to its end. */
  #lengthAt(text: string, at: number): number {
    let longest = 0;
    for (const form of this.#byStart.get(text.slice(at, at + SHORTEST_SECRET_CHARACTERS))?.keys() ?? []) {
      if (form.length > longest && text.startsWith(form, at)) longest = form.length;
    }
    return longest;
  }
}

/** The forms of a secret in a line: as it is, in JSON, in JSON inside JSON, in an address, in a header. */
function formsOf(secret: string): ReadonlySet<string> {
  const json = JSON.stringify(secret).slice(1, -1);
  const forms = [secret, json, JSON.stringify(json).slice(1, -1), encodeForAddress(secret)];
  return new Set([...forms, Buffer.from(secret).toString("base64")]);
}

function encodeForAddress(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    // Half of a surrogate pair, which no address can hold.
    return secret;
  }
}
