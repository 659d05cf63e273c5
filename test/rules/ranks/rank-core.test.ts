import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Player, Staff } from "../../../src/domain/model.ts";
import type { GameAccount } from "../../../src/domain/ports/game-accounts.ts";
import { RAISED_STATES, RANKS, type Raised, type TakenBack } from "../../../src/domain/rank.ts";
import { whyNotById } from "../../../src/rules/named-in-full.ts";
import { settled } from "../../../src/rules/ranks/rank-changes.ts";
import type { JudgedRank } from "../../../src/rules/ranks/rank-facts.ts";
import { ofLastDay, whyTooMuch } from "../../../src/rules/ranks/rank-limits.ts";
import { type PersonFacts, rankVerdict } from "../../../src/rules/ranks/rank-verdict.ts";
import { StaffSightings } from "../../../src/rules/ranks/staff-sightings.ts";
import { type RoleState, wantedRank } from "../../../src/rules/ranks/wanted-rank.ts";

const rank = fc.constantFrom(...RANKS);
const record: fc.Arbitrary<Raised> = fc
  .record({
    rank,
    state: fc.constantFrom(...RAISED_STATES),
    isSure: fc.boolean(),
    isSeen: fc.boolean(),
    isConfirmed: fc.boolean(),
  })
  .map(({ isSure, isSeen, isConfirmed, ...one }) => ({
    ...one,
    playerId: 7,
    name: "Rex",
    runId: "r",
    ...(isSure && { isSure }),
    ...(isSeen && { isSeen }),
    ...(isConfirmed && { isConfirmed }),
  }));
const facts: fc.Arbitrary<PersonFacts> = fc.record({
  record: fc.option(record, { nil: undefined }),
  wanted: fc.oneof(
    rank.map((one) => ({ kind: "rank", rank: one }) as const),
    fc.constantFrom(
      { kind: "none", why: "no-role" } as const,
      { kind: "none", why: "unlinked" } as const,
      { kind: "none", why: "unconfirmed" } as const,
      { kind: "unknown", why: "roles" } as const,
      { kind: "unknown", why: "role-deleted" } as const,
    ),
  ),
  held: fc.option(
    fc.uniqueArray(rank).map((ranks) => new Set(ranks)),
    { nil: undefined },
  ),
  isListEmpty: fc.boolean(),
  isOld: fc.boolean(),
  isShown: fc.option(fc.boolean(), { nil: undefined }),
  isListWhole: fc.boolean(),
  run: fc.constantFrom("seen", "not-seen", "unknown"),
  isOwner: fc.boolean(),
  hasPermission: fc.boolean(),
  isLeft: fc.boolean(),
});

/** Of every thousand facts, what is done. */
function holds(
  name: string,
  property: (verdict: ReturnType<typeof rankVerdict>, one: PersonFacts) => void,
): void {
  test(name, () => {
    fc.assert(
      fc.property(facts, (one) => property(rankVerdict(one), one)),
      { numRuns: 5_000, seed: 29 },
    );
  });
}

describe("what is done about a rank", () => {
  holds(
    "nobody is raised of whom the list of staff is not believed, and nobody who has a rank",
    (verdict, one) => {
      if (verdict.kind !== "raise") return;
      assert.equal(one.held?.size, 0);
      assert.equal(one.hasPermission || one.isLeft || one.isOwner, false);
      assert.deepEqual(one.wanted, { kind: "rank", rank: verdict.rank });
      assert.ok(one.record === undefined || one.record.state === "wanted");
    },
  );

  holds(
    "a rank is taken only where the list shows it, Marshal gave it and the roles are known",
    (verdict, one) => {
      if (verdict.kind !== "take") return;
      assert.ok(one.record?.state === "raised" || one.record?.state === "taking");
      assert.equal(verdict.rank, one.record.rank);
      assert.equal(one.held?.has(verdict.rank), true);
      assert.equal(one.isOwner, false);
      assert.notEqual(one.wanted.kind, "unknown");
      assert.notDeepEqual(one.wanted, { kind: "rank", rank: verdict.rank });
    },
  );

  holds("an owner is never touched", (verdict, one) => {
    if (one.isOwner) assert.deepEqual(verdict, { kind: "none", why: "owner" });
  });

  holds("whoever may have a rank of Marshal's stays in its records", (verdict, one) => {
    const mayHave = one.record?.state !== "wanted" && one.record !== undefined;
    if (!mayHave || one.isOwner) return;
    if (verdict.kind === "gone")
      assert.notEqual(one.held?.has(one.record?.rank ?? "mod") && one.isShown !== false, true);
    const hasRun = one.record?.state === "taking" && (one.record.isSure === true || one.run === "seen");
    if (verdict.kind === "left" && !hasRun) assert.notEqual(one.held?.has(one.record?.rank ?? "mod"), true);
    assert.notEqual(verdict.kind, "none");
    assert.notEqual(verdict.kind, "raise");
  });

  holds(
    "one answer is enough for a taking back that shows others with the rank and not them",
    (verdict, one) => {
      if (one.record?.state !== "taking" || one.isShown !== false || !one.isListWhole) return;
      if (one.isOwner || (one.run === "not-seen" && one.record.isSure !== true)) return;
      assert.deepEqual(verdict, { kind: "gone" });
    },
  );

  holds("what surely ran is not sent a second time", (verdict, one) => {
    if (one.record?.state !== "taking") return;
    if (one.record.isSure === true || one.run === "seen") assert.notEqual(verdict.kind, "take");
  });

  holds("a raise that ran and is not there is not repeated", (verdict, one) => {
    if (one.record?.state !== "raising" || one.run !== "seen") return;
    assert.notEqual(verdict.kind, "unsent");
    assert.notEqual(verdict.kind, "raise");
  });
});

function account(more: Partial<GameAccount> = {}): GameAccount {
  return { userId: "m7", player: { name: "Rex", id: 7 }, linkedAtMs: 0, ...more };
}

describe("the rank that somebody should have", () => {
  const mappings = [
    { roleId: "h", rank: "helper" },
    { roleId: "m", rank: "mod" },
    { roleId: "a", rank: "admin" },
  ] as const;
  const want = (
    roleIds: readonly string[] | undefined,
    link: GameAccount | undefined = account(),
    roleState: (id: string) => RoleState = () => "there",
  ) => {
    const { kind, ...more } = wantedRank({ link, roleIds, mappings, roleState });
    return [kind, ...Object.values(more)].join(" ");
  };

  test("is that of the highest role", () => {
    assert.equal(want(["x", "h", "m"]), "rank mod");
    assert.equal(want(["a", "h"]), "rank admin");
    assert.equal(want(["x"]), "none no-role");
    assert.equal(want([]), "none no-role");
    assert.equal(want(undefined), "unknown roles");
    assert.equal(
      wantedRank({ link: undefined, roleIds: ["a"], mappings, roleState: () => "there" }).kind,
      "none",
    );
  });

  test("is not above helper by one Manager's word", () => {
    const vouched = account({ vouchedBy: "u1" });
    assert.equal(want(["m"], vouched), "none unconfirmed");
    assert.equal(want(["m", "h"], vouched), "rank helper");
    assert.equal(want(["h"], vouched), "rank helper");
    assert.equal(want(["m"], account({ vouchedBy: "u1", confirmedBy: "u2" })), "rank mod");
    assert.equal(want(["m"], account({ vouchedBy: "u1", confirmedBy: "u1" })), "none unconfirmed");
  });

  test("is not known where a role is gone that they may have had", () => {
    const gone = (id: string) => (id === "m" ? "deleted" : "there");
    assert.equal(want(["h"], account(), gone), "unknown role-deleted");
    assert.equal(want([], account(), gone), "unknown role-deleted");
    assert.equal(want(["a"], account(), gone), "rank admin");
    assert.equal(
      want(["a"], account(), () => "unknown"),
      "unknown roles",
    );
  });
});

describe("the list of staff", () => {
  const players: readonly Player[] = [
    { player: { name: "Rex", id: 7 }, team: "Civilian", permission: "Normal", wantedStars: 0 },
  ];
  const staff = (...mods: number[]): Staff => ({
    admins: new Map([[1, "Ada"]]),
    mods: new Map(mods.map((id) => [id, `Mod${id}`])),
    helpers: new Map(),
  });
  const EMPTY: Staff = { admins: new Map(), mods: new Map(), helpers: new Map() };
  type Answer = readonly [
    atS: number,
    staff: Staff | undefined,
    players?: readonly Player[],
    skipped?: number,
  ];
  const status = {
    name: "LC",
    ownerId: 1,
    coOwnerIds: [],
    currentPlayers: 1,
    maxPlayers: 40,
    joinKey: "LC",
    accVerifiedReq: "Disabled",
    teamBalance: true,
  };
  const after = (...answers: Answer[]) => {
    const seen = new StaffSightings();
    for (const [atS, list, here = players, skipped = 0] of answers) {
      const lists = { players: here, ...(list && { staff: list }) };
      const times = { askedAtMs: atS * 1_000 - 200, takenAtMs: atS * 1_000, nowMs: 0 };
      seen.take({ lists, status, skippedRows: { staff: skipped } }, times);
    }
    return seen;
  };
  const isBelieved = (...answers: Answer[]) => after(...answers).believed() !== undefined;

  test("is believed when two answers or more agree over 30 seconds", () => {
    assert.equal(isBelieved([0, staff(5)]), false);
    assert.equal(isBelieved([0, staff(5)], [30, staff(5)]), false, "the second was asked for before");
    assert.equal(isBelieved([0, staff(5)], [31, staff(5)]), true);
    assert.equal(isBelieved([0, staff(5)], [15, staff(5, 6)], [31, staff(5)]), false);
    assert.equal(isBelieved([0, staff(5)], [31, staff(6)]), false);
  });

  test("is not believed with an empty, missing or damaged answer among them, or without players", () => {
    for (const odd of [
      [15, EMPTY],
      [15, undefined],
      [15, staff(5), []],
      [15, staff(5), players, 1],
    ] as Answer[])
      assert.equal(isBelieved([0, staff(5)], odd, [31, staff(5)]), false);
    assert.equal(isBelieved([0, EMPTY], [31, EMPTY], [70, EMPTY]), false);
  });

  test("counts from the latest step, and by its own order", () => {
    const seen = after([0, staff(5)], [40, staff(5)], [80, staff(5)]);
    assert.notEqual(seen.believed({ sinceMs: 30_000 }), undefined);
    assert.equal(seen.believed({ sinceMs: 41_000 }), undefined);
    assert.equal(seen.believed({ forMs: 90_000 }), undefined);
    assert.equal(
      isBelieved([0, staff(5)], [40, staff(5)], [35, EMPTY]),
      true,
      "an older answer says nothing",
    );
  });

  test("whatever comes between, what is believed was shown by every answer of that time", () => {
    const answer = fc.tuple(
      fc.integer({ min: 1, max: 60 }),
      fc.constantFrom(staff(5), staff(5), staff(5), staff(6), EMPTY, undefined),
      fc.constantFrom(players, players, players, []),
    );
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 30 }), (steps) => {
        let atS = 0;
        const answers = steps.map(([inS, list, here]): Answer => {
          atS += inS;
          return [atS, list, here];
        });
        const believed = after(...answers).believed();
        if (believed === undefined) return;
        const lately = answers.filter(([at]) => at >= atS - 30);
        assert.ok(lately.length >= 1 && answers.length >= 2);
        for (const [, list, here] of lately) {
          assert.notEqual(list, undefined);
          assert.ok((here?.length ?? 0) > 0);
          assert.equal(list?.mods.has(5), believed.ranks.has(5));
        }
      }),
      { numRuns: 3_000, seed: 29 },
    );
  });
});

describe("limits of ranks", () => {
  const MINUTE_MS = 60_000;
  const took = (playerId: number, minutes: number, isCounted = true): TakenBack => ({
    runId: `r${playerId}`,
    playerId,
    rank: "mod",
    atMs: minutes * MINUTE_MS,
    isCounted,
  });
  const why = (kind: "raise" | "take", playerId: number, taken: readonly TakenBack[], atMinute: number) =>
    whyTooMuch(
      kind === "raise" ? { kind, playerId, rank: "mod" } : { kind, playerId, rank: "mod", isRise: false },
      taken,
      atMinute * MINUTE_MS,
    );

  test("a fourth removal within ten minutes is too many", () => {
    const three = [took(1, 0), took(2, 1), took(3, 2)];
    assert.equal(why("take", 4, three.slice(1), 3), undefined);
    assert.equal(why("take", 4, three, 3), "too-many");
    assert.equal(why("take", 4, three, 11), undefined);
    assert.equal(why("raise", 4, three, 3), undefined);
    const confirmed = three.map((one) => ({ ...one, isCounted: false }));
    assert.equal(why("take", 4, confirmed, 3), undefined, "a Manager confirmed those");
    assert.equal(whyTooMuch({ kind: "take", playerId: 4, rank: "mod", isRise: true }, three, 0), undefined);
  });

  test("a rank that was taken back is not given again within a day", () => {
    assert.equal(why("raise", 1, [took(1, 0)], 23 * 60), "flips");
    assert.equal(why("take", 1, [took(1, 0)], 23 * 60), "flips");
    assert.equal(why("raise", 1, [took(1, 0)], 24 * 60), undefined);
    assert.equal(why("raise", 2, [took(1, 0)], 1), undefined);
    assert.equal(ofLastDay([took(1, 0), took(2, 10)], (24 * 60 + 5) * MINUTE_MS).length, 1);
  });
});

test("an id is not used while somebody is named like it", () => {
  assert.equal(
    whyNotById(123, [
      { name: "Rex", id: 5 },
      { name: "12", id: 6 },
    ]),
    undefined,
  );
  assert.equal(whyNotById(123, [{ name: "123", id: 123 }]), undefined);
  for (const name of ["123", "1234", "123x"]) assert.notEqual(whyNotById(123, [{ name, id: 5 }]), undefined);
});

describe("what answers show of a rank", () => {
  test("does not end what was confirmed since it was judged: the press of /rank unset came in between", () => {
    const raised: Raised = {
      playerId: 7,
      name: "Rex",
      rank: "helper",
      state: "raised",
      isSure: true,
      isSeen: true,
    };
    const kept = { guildId: "g", bindingId: "b", mappings: [], left: [], taken: [], events: [] };
    const judged: JudgedRank = {
      player: { id: 7, name: "Rex" },
      link: undefined,
      record: raised,
      rolesAgeMs: 0,
      held: new Set(["helper"]),
      verdict: { kind: "keep" },
    };
    const confirmed = { ...kept, raised: [{ ...raised, isConfirmed: true as const }] };
    assert.equal(settled(confirmed, [judged], 0), confirmed);
    const [record] = confirmed.raised;
    const after = settled(confirmed, [{ ...judged, record }], 0);
    assert.deepEqual(after.raised, [raised], "what was judged with it is over when the list shows it");
  });
});
