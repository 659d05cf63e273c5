import type { LogEntry, PlayerRef } from "../../domain/model.ts";

/** Lengths stand before texts, so that no name or command text can pass for two fields. */
function text(value: string): string {
  return `${value.length}:${value}`;
}

function person(ref: PlayerRef): string {
  return `${ref.id ?? ""}~${text(ref.name)}`;
}

/**
 * What makes a row itself: kind and all fields, `Moderator` left out for mod calls, because the same call gets one
 * later. Two equal rows in one second have one identity and count as two.
 */
export function identityOf(entry: LogEntry): string {
  switch (entry.kind) {
    case "join":
      return `join ${entry.atS} ${entry.joined ? "+" : "-"} ${person(entry.player)}`;
    case "kill":
      return `kill ${entry.atS} ${person(entry.killer)} ${person(entry.killed)}`;
    case "command":
      return `command ${entry.atS} ${person(entry.player)} ${text(entry.text)}`;
    case "modCall":
      return `modCall ${entry.atS} ${person(entry.caller)}`;
  }
}

/** The answer of a mod call, a thing of its own: who answered which call. */
export function answerIdentityOf(
  entry: Extract<LogEntry, { kind: "modCall" }>,
  moderator: PlayerRef,
): string {
  return `answer ${entry.atS} ${person(entry.caller)} ${person(moderator)}`;
}

/**
 * 53 bits of an identity under the journal's own salt: what is retained, since 300 identities a list as text would
 * be several times the memory that a server may cost. Not a cryptographic hash: the salt is
 * random and never leaves the store, so nobody can choose a command text that hides another one.
 */
export function hash53(salt: string, identity: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (const part of [salt, identity]) {
    for (let index = 0; index < part.length; index++) {
      const unit = part.charCodeAt(index);
      a = Math.imul(a ^ unit, 2654435761);
      b = Math.imul(b ^ unit, 1597334677);
    }
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}
