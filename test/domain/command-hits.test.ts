import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { whomItHits, whomItPunishes } from "../../src/domain/command-hits.ts";
import type { PlayerRef } from "../../src/domain/model.ts";
import { parseCommand } from "../../src/runs/catalogue/parse-command.ts";
import { DEFAULT_COMMAND_RULES, runCommand } from "../../src/sandbox/service/town/commands.ts";
import { REMOTE_SERVER } from "../../src/sandbox/service/town/record.ts";
import { Town } from "../../src/sandbox/service/town/town.ts";

type Person = Required<PlayerRef>;

const ann = { name: "Ann", id: 1 };
const annabel = { name: "Annabel", id: 2 };
const bob = { name: "Bob", id: 3 };
const present = [ann, annabel, bob];
const hit = (text: string, author?: PlayerRef, absent: readonly PlayerRef[] = []) =>
  whomItHits(parseCommand(text), { present, absent, author }).flatMap(({ players }) =>
    players.map(({ name }) => name),
  );

describe("whom a command hits", () => {
  test("is who has that whole name, though the names of others begin so; else all whose names begin so", () => {
    assert.deepEqual(hit(":kick ann"), ["Ann"]);
    assert.deepEqual(hit(":kick an"), ["Ann", "Annabel"]);
  });

  test("is nobody for me or nothing from Remote Server, and the author from a player", () => {
    assert.deepEqual(hit(":jail me"), []);
    assert.deepEqual(hit(":jail"), []);
    assert.deepEqual(hit(":jail me", bob), ["Bob"]);
    assert.deepEqual(hit(":jail", bob), ["Bob"]);
    assert.deepEqual(hit(":kick", bob), []);
  });

  test("reaches by id, and people who are not there, only with the verbs that take ids", () => {
    const zed = { name: "Zed", id: 9 };
    assert.deepEqual(hit(":ban 9", undefined, [zed]), ["Zed"]);
    assert.deepEqual(hit(":ban zed", undefined, [zed]), ["Zed"]);
    assert.deepEqual(hit(":kick zed", undefined, [zed]), []);
    assert.deepEqual(hit(":kick 1"), []);
    assert.deepEqual(hit(":unban Ann"), []);
    assert.deepEqual(whomItHits(parseCommand(":unban Zed,Ann"), { present, absent: [zed] }), [
      { text: "Zed", players: [zed] },
    ]);
  });

  test("punishes nobody where it is one's own", () => {
    const punished = (text: string, author?: PlayerRef, self?: PlayerRef) =>
      whomItPunishes(parseCommand(text), { present, absent: [], author }, self);
    const nobody = { players: [], unknown: [] };
    assert.deepEqual(punished(":jail me"), nobody);
    assert.deepEqual(punished(":jail bob", bob), nobody);
    assert.deepEqual(punished(":jail bob", undefined, bob), nobody);
    assert.deepEqual(punished(":jail all", bob).players, [ann, annabel]);
    assert.deepEqual(punished(":jail zed"), { players: [], unknown: ["zed"] });
  });
});

/** What a command did to a town: the ids of those whom it hit, by the traces that its verb leaves. */
const TRACES = {
  kick: (town: Town, people: readonly Person[]) =>
    people.filter(({ id }) => town.world.find(id) === undefined).map(({ id }) => id),
  jail: (town: Town) => town.world.players.filter(({ team }) => team === "Jail").map(({ ref }) => ref.id),
  down: (town: Town) => town.world.players.filter(({ downed }) => downed).map(({ ref }) => ref.id),
  wanted: (town: Town) =>
    town.world.players.filter(({ wantedStars }) => wantedStars === 5).map(({ ref }) => ref.id),
  ban: (town: Town) => [...town.world.bans.keys()],
  mod: (town: Town) => [...town.world.staff].filter(([, { role }]) => role === "mod").map(([id]) => id),
} as const;
type Traced = keyof typeof TRACES;

const name = fc.string({ unit: fc.constantFrom("a", "n", "A", "b", "1"), minLength: 1, maxLength: 4 });
const people = fc.uniqueArray(fc.record({ name, id: fc.integer({ min: 1, max: 30 }) }), {
  maxLength: 7,
  comparator: (one, other) => one.id === other.id || one.name.toLowerCase() === other.name.toLowerCase(),
});
const word = fc.oneof(
  { weight: 6, arbitrary: name },
  { weight: 1, arbitrary: fc.constantFrom("all", "others", "me", "ME", "Others") },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 35 }).map(String) },
);
const words = fc.array(word, { maxLength: 4 });
const verbs = fc.constantFrom(...(Object.keys(TRACES) as Traced[]));

interface Scene {
  readonly here: readonly Person[];
  readonly away: readonly Person[];
  readonly author: Person | undefined;
}

const scene: fc.Arbitrary<Scene> = fc
  .tuple(people, fc.nat(7), fc.option(fc.nat(6), { nil: undefined }))
  .map(([all, split, by]) => {
    const here = all.slice(0, split);
    return { here, away: all.slice(split), author: by === undefined ? undefined : here[by] };
  });

/** A town with nobody of its own: some are there, some were. */
function townOf({ here, away }: Scene): Town {
  const town = new Town(1, () => Date.UTC(2026, 2, 1), { intensity: 0, initialPlayers: 0 });
  town.world.staff.clear();
  for (const person of away) {
    town.join(person.name, person.id);
    town.world.depart(person.id);
  }
  for (const person of here) town.join(person.name, person.id);
  for (const player of town.world.players) Object.assign(player, { team: "Civilian", wantedStars: 0 });
  return town;
}

function ran(town: Town, { author }: Scene, text: string): void {
  runCommand(town.world, author ?? REMOTE_SERVER, text, { ...DEFAULT_COMMAND_RULES, restricted: [] });
}

describe("whom the bot says that a command hits", () => {
  test("is whom the emulated game hits, over towns and commands, from players and from Remote Server", () => {
    fc.assert(
      fc.property(scene, verbs, words, (set, verb, texts) => {
        const town = townOf(set);
        const text = `:${verb} ${texts.join(",")}`.trim();
        ran(town, set, text);
        const expected = TRACES[verb](town, set.here);
        const { here, away, author } = set;
        const said = whomItHits(parseCommand(text), { present: here, absent: away, author });
        const ids = new Set(said.flatMap(({ players }) => players.map(({ id }) => id)));
        assert.deepEqual([...ids].sort(), [...expected].sort(), text);
      }),
      { numRuns: 3_000 },
    );
  });

  test("is whom the emulated game lets in again, of those who are banned", () => {
    fc.assert(
      fc.property(scene, words, (set, texts) => {
        const town = townOf({ ...set, here: [] });
        const banned = [...set.here, ...set.away];
        for (const { id, name: own } of banned) town.world.bans.set(id, own);
        const text = `:unban ${texts.join(",")}`.trim();
        ran(town, { ...set, author: undefined }, text);
        const freed = banned.filter(({ id }) => !town.world.bans.has(id)).map(({ id }) => id);
        const said = whomItHits(parseCommand(text), { present: [], absent: banned });
        const ids = said.flatMap(({ players }) => players.map(({ id }) => id ?? 0));
        const wasBanned = ids.filter((id) => banned.some((one) => one.id === id));
        assert.deepEqual(wasBanned.sort(), freed.sort(), text);
      }),
      { numRuns: 1_000 },
    );
  });

  test("is never fewer than that where a space stands at a comma, which the game may read as the end", () => {
    fc.assert(
      fc.property(scene, fc.array(name, { minLength: 2, maxLength: 3 }), (set, texts) => {
        const town = townOf(set);
        const text = `:kick ${texts.join(", ")}`;
        ran(town, set, text);
        const said = whomItHits(parseCommand(text), { present: set.here, absent: set.away });
        const ids = new Set(said.flatMap(({ players }) => players.map(({ id }) => id)));
        for (const id of TRACES.kick(town, set.here)) assert.ok(ids.has(id), text);
      }),
    );
  });
});
