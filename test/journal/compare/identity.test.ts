import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { LogEntry, ModCallEntry, PlayerRef } from "../../../src/domain/model.ts";
import { Identities } from "../../../src/journal/compare/identity.ts";

const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }));
const atS = fc.oneof(fc.nat(2 ** 32), fc.integer(), fc.double({ noNaN: true }));
const person: fc.Arbitrary<PlayerRef> = fc.record(
  { name: text, id: fc.maxSafeNat() },
  { requiredKeys: ["name"] },
);
const modCall: fc.Arbitrary<ModCallEntry> = fc.record({
  kind: fc.constant("modCall"),
  atS,
  caller: person,
});
const row: fc.Arbitrary<LogEntry> = fc.oneof(
  fc.record({ kind: fc.constant("join"), atS, player: person, joined: fc.boolean() }),
  fc.record({ kind: fc.constant("kill"), atS, killer: person, killed: person }),
  fc.record({ kind: fc.constant("command"), atS, player: person, text }),
  modCall,
);

function personOf(ref: PlayerRef): string {
  return `${ref.id ?? ""}~${ref.name.length}:${ref.name}`;
}

/** Identities as text. */
function identityOf(entry: LogEntry): string {
  switch (entry.kind) {
    case "join":
      return `join ${entry.atS} ${entry.joined ? "+" : "-"} ${personOf(entry.player)}`;
    case "kill":
      return `kill ${entry.atS} ${personOf(entry.killer)} ${personOf(entry.killed)}`;
    case "command":
      return `command ${entry.atS} ${personOf(entry.player)} ${entry.text.length}:${entry.text}`;
    case "modCall":
      return `modCall ${entry.atS} ${personOf(entry.caller)}`;
  }
}

/** The hash that stands in every store (cyrb53), of one text. */
function hash53(whole: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let index = 0; index < whole.length; index++) {
    a = Math.imul(a ^ whole.charCodeAt(index), 2654435761);
    b = Math.imul(b ^ whole.charCodeAt(index), 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}

describe("the identity of a row", () => {
  test("is stored as the hash of the salt and of what makes the row itself, whatever was hashed before", () => {
    fc.assert(
      fc.property(text, fc.array(row, { minLength: 1, maxLength: 5 }), (salt, rows) => {
        const identities = new Identities(salt);
        for (const entry of rows) assert.equal(identities.of(entry), hash53(salt + identityOf(entry)));
      }),
    );
  });

  test("is another one for the answer of a mod call", () => {
    fc.assert(
      fc.property(text, modCall, person, (salt, call, moderator) => {
        const answer = `answer ${call.atS} ${personOf(call.caller)} ${personOf(moderator)}`;
        assert.equal(new Identities(salt).ofAnswer(call, moderator), hash53(salt + answer));
      }),
    );
  });

  test("has stayed what the release before stored", () => {
    const identities = new Identities("salt");
    const [atS, player] = [1_790_000_000, { name: "Ann", id: 7 }];
    const call: ModCallEntry = { kind: "modCall", atS, caller: player };
    const rows: readonly LogEntry[] = [
      { kind: "join", atS, player, joined: true },
      { kind: "kill", atS, killer: player, killed: { name: "Bob" } },
      { kind: "command", atS, player, text: ":pm x hi" },
      call,
    ];
    assert.deepEqual(
      [...rows.map((entry) => identities.of(entry)), identities.ofAnswer(call, { name: "Bob" })],
      [2680850439966015, 8041926918106366, 2854154873228772, 2310965337794234, 8732887204877224],
    );
  });
});
