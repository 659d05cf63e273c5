import { Prng } from "./prng.ts";

/** What a `server-key` header amounts to; the numbers are the public service's codes. */
export type KeyVerdict = "good" | 2000 | 2001 | 2002 | 2004;

/** Which keys there are and what their owners decided about them. */
export class KeyBook {
  readonly #good = new Set<string>();
  readonly #banned = new Set<string>();
  readonly #deniedCommands = new Set<string>();
  readonly #global: Set<string>;
  readonly #random: Prng;

  constructor(keys: readonly string[], globalKeys: readonly string[], seed: number) {
    for (const key of keys) this.#good.add(key);
    this.#global = new Set(globalKeys);
    this.#random = new Prng(seed);
  }

  /** The keys that work (a banned key is among them). */
  get keys(): readonly string[] {
    return [...this.#good];
  }

  /** Makes a key known. */
  add(key: string): void {
    this.#good.add(key);
  }

  /** Judges a key (spec: Authentication 1, 4). The shape of a key is not specified: only odd characters are malformed. */
  verdict(key: string | undefined): KeyVerdict {
    if (key === undefined || key === "") return 2000;
    if (this.#good.has(key)) return this.#banned.has(key) ? 2004 : "good";
    return /^[\w.~+/=-]{1,256}$/.test(key) ? 2002 : 2001;
  }

  /** Whether an `Authorization` header holds a global key that was issued; a `Bearer` in front is allowed. */
  application(header: string): string | undefined {
    const key = header.replace(/^Bearer\s+/i, "").trim();
    return this.#global.has(key) ? key : undefined;
  }

  /** The owner gets a new key: the first part changes, the second stays; the old one is invalid from now on. */
  regenerate(old: string): string {
    if (!this.#good.delete(old)) throw new RangeError("only a key that works can be regenerated");
    this.#banned.delete(old);
    const denied = this.#deniedCommands.delete(old);
    const dash = old.indexOf("-");
    const first = this.#letters(Math.max(8, dash));
    const fresh = dash < 0 ? `${first}-${old}` : `${first}${old.slice(dash)}`;
    this.#good.add(fresh);
    if (denied) this.#deniedCommands.add(fresh);
    return fresh;
  }

  /** Bans or pardons a key: 2004 on everything. */
  setBanned(key: string, banned: boolean): void {
    if (banned) this.#banned.add(key);
    else this.#banned.delete(key);
  }

  /** Whether the owner lets this caller run commands: 4000 on commands when not, reads still work. */
  setCommandsAllowed(key: string, allowed: boolean): void {
    if (allowed) this.#deniedCommands.delete(key);
    else this.#deniedCommands.add(key);
  }

  /** See `setCommandsAllowed`. */
  commandsAllowed(key: string): boolean {
    return !this.#deniedCommands.has(key);
  }

  #letters(count: number): string {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    return Array.from({ length: count }, () => alphabet[this.#random.int(0, alphabet.length - 1)]).join("");
  }
}
