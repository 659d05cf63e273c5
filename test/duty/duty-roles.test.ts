import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { DutyRow, DutyStore } from "../../src/domain/ports/duty-store.ts";
import type { MemberRoles, RoleBar, RoleOutcome } from "../../src/domain/ports/member-roles.ts";
import { DutyRoles } from "../../src/duty/duty-roles.ts";
import { seededRandom } from "../support/clock.ts";

/** What outlives the process: rows of the database, and the roles that members have. */
class World {
  readonly rows = new Map<string, DutyRow>();
  readonly roles = new Set<string>();
  readonly told: string[] = [];
  nowS = 1_000_000;
  bar: RoleBar | undefined;
  outcome: RoleOutcome = "done";
  /** Steps until the process is killed: what is asked then may be done, and nothing comes after it. */
  steps = Number.POSITIVE_INFINITY;

  async step(work: () => void): Promise<void> {
    await Promise.resolve();
    this.steps -= 1;
    if (this.steps < 0) return await new Promise(() => undefined);
    work();
    if (this.steps === 0) return await new Promise(() => undefined);
  }

  readonly #store: Pick<DutyStore, "rows" | "write"> = {
    rows: async () => [...this.rows.values()],
    write: ({ put = [], drop = [] }) =>
      this.step(() => {
        for (const row of put) this.rows.set(row.id, row);
        for (const { id } of drop) this.rows.delete(id);
      }),
  };
  readonly #roles: MemberRoles = {
    has: async ({ userId, roleId }) => this.roles.has(`${userId} ${roleId}`),
    give: async ({ userId, roleId }) => {
      if (this.outcome === "done") await this.step(() => this.roles.add(`${userId} ${roleId}`));
      return this.outcome;
    },
    take: async ({ userId, roleId }) => {
      if (this.outcome === "done") await this.step(() => this.roles.delete(`${userId} ${roleId}`));
      return this.outcome;
    },
  };

  start(): DutyRoles {
    return new DutyRoles({
      store: { ...this.#store, facts: notAsked, calls: notAsked, guilds: notAsked },
      roles: this.#roles,
      grantable: { roleBar: () => this.bar, isOwner: () => false },
      nowS: () => this.nowS,
      onRefused: (_, roleId) => this.told.push(roleId),
      report: (what, error) => {
        throw new Error(what, { cause: error });
      },
    });
  }
}

const notAsked = () => assert.fail("nothing else is asked");
const role = (userId: string) => ({ userId, roleId: "r" });

describe("The role while on duty", () => {
  test("is given and taken back, and one that they had before is left to them", async () => {
    const world = new World();
    world.roles.add("had r");
    const roles = world.start();
    await roles.want("g", [role("new"), role("had")]);
    assert.deepEqual([...world.roles].sort(), ["had r", "new r"]);
    await roles.want("g", []);
    assert.deepEqual([[...world.roles], world.rows.size], [["had r"], 0]);
  });

  test("is not left over after 200 kills, at any step", async () => {
    const world = new World();
    const random = seededRandom(5);
    world.roles.add("u0 r");
    const people = ["u0", "u1", "u2", "u3"];
    for (let kill = 0; kill < 200; kill += 1) {
      world.steps = 1 + Math.floor(random.next() * 8);
      const roles = world.start();
      for (let change = 0; change < 4; change += 1) {
        const wanted = people.filter(() => random.next() < 0.5).map(role);
        void roles.want("g", wanted);
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      }
    }
    world.steps = Number.POSITIVE_INFINITY;
    const wanted = [role("u1")];
    await world.start().want("g", wanted);
    assert.deepEqual([...world.roles].sort(), ["u0 r", "u1 r"]);
    await world.start().want("g", []);
    assert.deepEqual([[...world.roles], world.rows.size], [["u0 r"], 0]);
  });

  test("that got powers meanwhile is not given, and the guild is told; it is tried again later", async () => {
    const world = new World();
    const roles = world.start();
    world.bar = "powers";
    await roles.want("g", [role("u")]);
    await roles.want("g", [role("u")]);
    assert.deepEqual([world.told, world.roles.size], [["r"], 0]);
    world.bar = undefined;
    world.nowS += 300;
    await roles.want("g", [role("u")]);
    assert.deepEqual([...world.roles], ["u r"]);
  });

  test("of a member who left is forgotten, and one that may not be taken stays ours to take", async () => {
    const world = new World();
    const roles = world.start();
    await roles.want("g", [role("u"), role("v")]);
    world.outcome = "refused";
    await roles.want("g", [role("v")]);
    assert.equal(world.rows.size, 2);
    world.outcome = "gone";
    world.nowS += 300;
    await roles.want("g", [role("v")]);
    assert.equal(world.rows.size, 1);
  });
});
