import assert from "node:assert/strict";
import type { DutyRow, DutyStore } from "../../src/domain/ports/duty-store.ts";
import type { MemberRoles, RoleBar, RoleOutcome } from "../../src/domain/ports/member-roles.ts";
import { DutyRoles } from "../../src/duty/duty-roles.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";

const notAsked = () => assert.fail("nothing else is asked");
export const role = (userId: string) => ({ userId, roleId: "r" });

/** A process, which can be killed or stand still before or after any step: what it asked for then may be done. */
class RoleProcess {
  /** Steps until it is killed. */
  steps = Number.POSITIVE_INFINITY;
  /** Until it resolves, the process stands still. */
  frozen: Promise<void> | undefined;

  async step(work: () => void): Promise<void> {
    await (this.frozen ?? Promise.resolve());
    this.steps -= 1;
    if (this.steps < 0) return await new Promise(() => undefined);
    work();
    await this.frozen;
    if (this.steps <= 0) return await new Promise(() => undefined);
  }
}

/** What outlives a process: rows of the database, and the roles that members have. */
export class RoleWorld {
  readonly clock: VirtualClock;
  readonly rows = new Map<string, DutyRow>();
  readonly roles = new Set<string>();
  readonly told: string[] = [];
  bar: RoleBar | undefined;
  outcome: RoleOutcome = "done";
  /** Whether Discord's answer to the next change fails: before it was done, or after. */
  fault: () => "before" | "after" | undefined = () => undefined;
  faults = 0;

  constructor(clock = new VirtualClock()) {
    this.clock = clock;
  }

  start(
    process = new RoleProcess(),
    paced: (roles: MemberRoles) => MemberRoles = (roles) => roles,
  ): DutyRoles {
    const store: Pick<DutyStore, "rows" | "write"> = {
      rows: async () => {
        await process.step(() => undefined);
        return [...this.rows.values()];
      },
      write: ({ put = [], drop = [] }) =>
        process.step(() => {
          for (const row of put) this.rows.set(row.id, row);
          for (const { id } of drop) this.rows.delete(id);
        }),
    };
    const change = async (work: () => void): Promise<RoleOutcome> => {
      const fault = this.fault();
      if (fault !== undefined) this.faults += 1;
      if (fault === "before") throw new Error("Discord is away");
      if (this.outcome === "done") await process.step(work);
      if (fault === "after") throw new Error("the answer is lost");
      return this.outcome;
    };
    const roles: MemberRoles = {
      has: async ({ userId, roleId }) => this.roles.has(`${userId} ${roleId}`),
      give: ({ userId, roleId }) => change(() => this.roles.add(`${userId} ${roleId}`)),
      take: ({ userId, roleId }) => change(() => this.roles.delete(`${userId} ${roleId}`)),
    };
    return new DutyRoles({
      store: { ...store, facts: notAsked, calls: notAsked, unreadS: notAsked, guilds: notAsked },
      roles: paced(roles),
      grantable: { roleBar: () => this.bar, isOwner: () => false },
      clock: this.clock,
      onRefused: (_, roleId) => this.told.push(roleId),
      report: (what, error) => assert.match(String(error), /Discord is away|the answer is lost/, what),
    });
  }
}

export interface RolesSeen {
  readonly kills: number;
  readonly takeovers: number;
  readonly faults: number;
  /** How often all that was wanted stood, and nothing else, and how often everybody had gone. */
  readonly compared: number;
  readonly emptied: number;
}

const PEOPLE = ["u0", "u1", "u2", "u3", "u4", "u5"];

/**
 * Staff come and go while the process that gives their roles is killed at any step, or stands still while another takes
 * over and goes on a moment later; some answers of Discord are lost. Nobody is left with a role.
 */
export async function liveThroughKills(wish: {
  readonly kills: number;
  readonly takeovers: number;
  readonly seed: number;
}): Promise<RolesSeen> {
  const world = new RoleWorld();
  const random = seededRandom(wish.seed);
  const upTo = (most: number) => Math.floor(random.next() * most);
  let isFaulty = false;
  world.fault = () => (isFaulty && random.next() < 0.1 ? (["before", "after"] as const)[upTo(2)] : undefined);
  world.roles.add("u0 r");
  let process = new RoleProcess();
  let roles = world.start(process);
  let wanted: readonly string[] = [];
  const seen = { kills: 0, takeovers: 0, compared: 0, emptied: 0 };
  /** Shifts are worked out, which is not waited for: a process that was killed never answers. */
  const settle = async (afterMs = 30_000) => {
    void roles.want("g", wanted.map(role));
    await world.clock.advance(afterMs);
  };
  const change = () => {
    wanted = PEOPLE.filter((userId) =>
      random.next() < 0.3 ? !wanted.includes(userId) : wanted.includes(userId),
    );
  };
  const next = () => {
    process = new RoleProcess();
    roles = world.start(process);
  };

  for (let round = 0; seen.kills < wish.kills || seen.takeovers < wish.takeovers; round += 1) {
    isFaulty = true;
    change();
    if (seen.takeovers * wish.kills < seen.kills * wish.takeovers) {
      const old = process;
      let thaw: () => void = () => undefined;
      const steps = upTo(12);
      void roles.want("g", wanted.map(role));
      for (let turn = 0; turn < steps; turn += 1) await Promise.resolve();
      old.frozen = new Promise((resolve) => {
        thaw = resolve;
      });
      next();
      if (random.next() < 0.5) change();
      await settle(upTo(20_000));
      old.frozen = undefined;
      old.steps = upTo(3);
      thaw();
      seen.takeovers += 1;
    } else {
      process.steps = 1 + upTo(10);
      await settle();
      change();
      await settle();
      process.steps = 0;
      next();
      seen.kills += 1;
    }
    // The next process works out the shifts once, and from then on as long as somebody is on duty.
    if (round % 3 === 0) wanted = [];
    isFaulty = random.next() < 0.5;
    await settle();
    await world.clock.advance(isFaulty ? 600_000 : 60_000);
    isFaulty = false;
    if (wanted.length > 0) await settle();
    await world.clock.advance(60_000);
    assert.deepEqual(
      [...world.roles].sort(),
      [...new Set(["u0", ...wanted])].sort().map((id) => `${id} r`),
    );
    seen.compared += 1;
    if (wanted.length > 0) continue;
    assert.equal(world.rows.size, 0);
    seen.emptied += 1;
  }
  return { ...seen, faults: world.faults };
}
