import type { LogEntry, ModCallEntry, PlayerRef } from "../../domain/model.ts";

/**
 * Identities of rows under the journal's own salt, as hashes of 53 bits: what is retained, since 300 identities a list
 * as text would be several times the memory that a server may cost. Not a cryptographic hash: the salt is random and
 * never leaves the store, so nobody can choose a command text that hides another one.
 *
 * The hash is that of salt and identity as one text. Each poll hashes every row that it shows, mostly for nothing, so
 * the text is never put together and the salt is gone through once. Hashes are stored: they stay as they are.
 */
export class Identities {
  readonly #saltA: number;
  readonly #saltB: number;
  #a = 0xdeadbeef | 0;
  #b = 0x41c6ce57;

  constructor(salt: string) {
    this.#put(salt);
    this.#saltA = this.#a;
    this.#saltB = this.#b;
  }

  /**
   * What makes a row itself: kind and all fields, `Moderator` left out for mod calls, because the same call gets one
   * later. Two equal rows in one second have one identity and count as two.
   */
  of(entry: LogEntry): number {
    this.#begin(entry.kind, entry.atS);
    switch (entry.kind) {
      case "join":
        this.#put(entry.joined ? "+ " : "- ");
        this.#putPerson(entry.player);
        break;
      case "kill":
        this.#putPerson(entry.killer);
        this.#put(" ");
        this.#putPerson(entry.killed);
        break;
      case "command":
        this.#putPerson(entry.player);
        this.#put(" ");
        this.#putText(entry.text);
        break;
      case "modCall":
        this.#putPerson(entry.caller);
    }
    return this.#end();
  }

  /** The answer of a mod call, a thing of its own: who answered which call. */
  ofAnswer({ atS, caller }: ModCallEntry, moderator: PlayerRef): number {
    this.#begin("answer", atS);
    this.#putPerson(caller);
    this.#put(" ");
    this.#putPerson(moderator);
    return this.#end();
  }

  #begin(kind: string, atS: number): void {
    this.#a = this.#saltA;
    this.#b = this.#saltB;
    this.#put(kind);
    this.#put(" ");
    this.#put(String(atS));
    this.#put(" ");
  }

  #putPerson({ id, name }: PlayerRef): void {
    if (id !== undefined) this.#put(String(id));
    this.#put("~");
    this.#putText(name);
  }

  /** Lengths stand before texts, so that no name or command text can pass for two fields. */
  #putText(text: string): void {
    this.#put(String(text.length));
    this.#put(":");
    this.#put(text);
  }

  #put(text: string): void {
    let a = this.#a;
    let b = this.#b;
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      a = Math.imul(a ^ unit, 2654435761);
      b = Math.imul(b ^ unit, 1597334677);
    }
    this.#a = a;
    this.#b = b;
  }

  #end(): number {
    let a = this.#a;
    let b = this.#b;
    a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
    b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
    return 4294967296 * (2097151 & b) + (a >>> 0);
  }
}
