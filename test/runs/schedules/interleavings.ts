import assert from "node:assert/strict";
import { Failure } from "../../../src/domain/failure.ts";
import type { Schedule } from "../../../src/domain/schedule.ts";
import { ruleOf } from "../../../src/domain/schedule.ts";
import { seededRandom } from "../../support/clock.ts";
import { binding, RunsRig, roles } from "../../support/runs-rig.ts";

/**
 * Seeded interleavings of kills, starts, set clocks, a store that fails or takes long, roles taken and given, halts, a
 * parked key, an empty server, people who use the queue, a slow Discord and a service that answers, refuses, fails or
 * stays silent. The judge sits where the first byte reaches the service and knows the rules of time by arithmetic alone.
 */
const MINUTE_MS = 60_000;
/** Every 10 minutes, from the midnight at which the clock starts. */
const PERIOD_MS = 10 * MINUTE_MS;
/** Noticed within a minute, checked within a minute, waiting for two at most, and then under way. */
const LATEST_MS = 5 * MINUTE_MS;

interface Execution {
  readonly text: string;
  readonly dueAtMs: number;
}

class Trial {
  readonly rig = new RunsRig();
  readonly #random;
  readonly executions: Execution[] = [];
  readonly defects: unknown[] = [];
  /** From their due times to the first byte. */
  readonly sentAfterMs: number[] = [];
  isClockSet = false;
  people = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    const { rig } = this;
    rig.answering = (text, _signal, mayStart) => this.#serve(text, mayStart);
    rig.audit.pause = () => rig.clock.sleep(this.below(this.chance(0.05) ? 20_000 : 20));
    rig.membersPause = () => rig.clock.sleep(this.below(this.chance(0.1) ? 70_000 : 200));
  }

  below(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }

  chance(share: number): boolean {
    return this.#random.next() < share;
  }

  async start(): Promise<void> {
    const { rig } = this;
    const work = rig.runs.start();
    await rig.clock.advance(60_000);
    await work;
    rig.runs.beginSchedules();
  }

  async add(count: number): Promise<void> {
    const actor = this.rig.actor("manager");
    for (let number = 0; number < count; number += 1) {
      const what = { kind: "text", text: `:h ${number}` } as const;
      const rule = ruleOf("every 10 min");
      await this.rig.runs.schedules.add(actor, { binding, what, rule, onlyWithPlayers: this.chance(0.3) });
    }
  }

  async step(): Promise<void> {
    const { rig } = this;
    const dice = this.below(100);
    if (dice < 25) this.#ask();
    else if (dice < 35) rig.memberRoles.set("u-manager", [this.chance(0.8) ? roles.manager : roles.none]);
    else if (dice < 42) rig.haltUntilMs = rig.clock.nowMs() + this.below(5 * MINUTE_MS);
    else if (dice < 48) rig.parkedWhy = this.chance(0.5) ? "regenerated" : undefined;
    else if (dice < 54) rig.players = this.chance(0.5) ? [] : [{ ...aPlayer }];
    else if (dice < 62)
      rig.scheduleDocuments.refuseWrites = this.chance(0.4) ? new Error("disk full") : undefined;
    else if (dice < 68) rig.audit.failure = this.chance(0.3) ? new Error("disk full") : undefined;
    else if (dice < 74) rig.membersFailure = this.chance(0.4) ? new Failure("denied", "away") : undefined;
    else if (dice < 84) this.#setClock();
    else {
      rig.crash();
      rig.scheduleDocuments.refuseWrites = undefined;
      rig.audit.failure = undefined;
      await rig.clock.advance(this.below(this.chance(0.3) ? 40 * MINUTE_MS : 20_000));
      await this.start();
    }
  }

  #setClock(): void {
    this.isClockSet = true;
    const ms =
      (this.chance(0.5) ? 1 : -1) * this.below(this.chance(0.3) ? 3 * 60 * MINUTE_MS : 2 * MINUTE_MS);
    this.rig.clock.step(ms);
    // What the gate knows moves with the clock.
    this.rig.readyAtMs += ms;
  }

  #ask(): void {
    const { rig } = this;
    const count = this.chance(0.3) ? 30 : 2;
    for (let one = 0; one < count; one += 1) {
      const text = `:m person ${this.people++}`;
      const request = { actor: rig.actor("mod"), binding, text, origin: "command" } as const;
      const ask = async () => void (await rig.runs.runner.submit(await rig.runs.runner.plan(request)));
      ask().catch((error: unknown) => {
        if (!(error instanceof Failure)) this.defects.push(error);
      });
    }
  }

  async #serve(text: string, mayStart: () => boolean): Promise<string> {
    const { rig } = this;
    if (this.chance(0.2)) await rig.clock.sleep(this.below(30_000));
    const dice = this.#random.next();
    if (dice < 0.05)
      throw new Failure("rate-limited", "wait", { retryAtMs: rig.clock.nowMs() + this.below(60_000) });
    if (!mayStart()) throw new Failure("expired", "no longer wanted");
    if (text.startsWith(":h ")) this.#judge(text);
    if (dice < 0.1) throw new Failure("server-empty", "offline");
    await rig.clock.sleep(this.below(1_000));
    if (dice > 0.9) throw new Failure("platform", "?", { ran: "unknown" });
    // The answer never comes, until the process is killed.
    if (dice > 0.87) await new Promise(() => undefined);
    return "Success";
  }

  #judge(text: string): void {
    const { rig } = this;
    const stored = this.#stored().find(({ what }) => what.kind === "text" && what.text === text);
    const dueAtMs = stored?.last?.dueAtMs;
    assert.ok(stored !== undefined && dueAtMs !== undefined, `${text} was sent, and no claim is stored`);
    assert.ok(stored.claimedMs >= dueAtMs, `${text} was sent before it was claimed`);
    assert.equal((dueAtMs - Date.UTC(2026, 0, 1)) % PERIOD_MS, 0, `${text} was not due`);
    const before = this.executions.filter((one) => one.text === text);
    assert.ok(!before.some((one) => one.dueAtMs === dueAtMs), `${text} was sent twice for one time`);
    const row = [...rig.audit.rows.values()].findLast((one) => one.text === text);
    assert.deepEqual([row?.status, row?.origin, row?.id], ["sending", "schedule", stored.last?.runId]);
    this.executions.push({ text, dueAtMs });
    this.sentAfterMs.push(rig.clock.nowMs() - dueAtMs);
  }

  #stored(): Schedule[] {
    return [...this.rig.scheduleTexts.values()].map((text) => JSON.parse(text));
  }
}

const aPlayer = { player: { name: "Alice", id: 11 }, team: "Civilian", permission: "Normal", wantedStars: 0 };

/** How many commands were sent in all of them. Rejects with the seed of one that went wrong. */
export async function tryInterleavings(count: number): Promise<number> {
  let sent = 0;
  for (let seed = 1; seed <= count; seed += 1) {
    const trial = new Trial(seed);
    const { rig } = trial;
    try {
      await trial.start();
      await trial.add(1 + trial.below(4));
      for (let step = 4 + trial.below(8); step > 0; step -= 1) {
        await trial.step();
        await rig.clock.advance(trial.below(trial.chance(0.3) ? 25 * MINUTE_MS : 3 * MINUTE_MS));
      }
      await rig.clock.advance(15 * MINUTE_MS);
      assert.deepEqual(trial.defects, []);
      const unexpected = rig.reports.filter(
        ({ error }) => !/disk full|could not be written/.test(String(error)),
      );
      assert.deepEqual(unexpected, []);
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
    // Where the clock was set while a run waited, the difference says nothing.
    const late = trial.isClockSet ? [] : trial.sentAfterMs.filter((ms) => ms > LATEST_MS);
    assert.deepEqual(late, [], `seed ${seed}`);
    sent += trial.executions.length;
  }
  return sent;
}
