import assert from "node:assert/strict";
import { Failure } from "../../../src/domain/failure.ts";
import { seededRandom } from "../../support/clock.ts";
import { binding, RunsRig } from "../../support/runs-rig.ts";
import { BanTown } from "./ban-town.ts";

/**
 * Seeded interleavings of bans that end with kills at any write, takeovers, set clocks, a store that refuses, answers
 * that are lost, late or never come, an empty server, a parked key, and people who ban and un-ban the same players in the
 * game, by Marshal and by another program. The judge sits in the game.
 */
const MINUTE_MS = 60_000;

export interface Seen {
  bans: number;
  lifted: number;
  kills: number;
  takeovers: number;
  /** Left to a Manager, who decided. */
  held: number;
  unseeable: number;
}

class Trial {
  readonly rig = new RunsRig();
  readonly town: BanTown;
  readonly seen: Seen;
  readonly #random;
  /** Writes and answers until the process is killed, or another takes over. */
  #pointsLeft = Number.POSITIVE_INFINITY;
  #isDown = false;
  isCalm = false;
  readonly defects: unknown[] = [];

  constructor(seed: number, seen: Seen) {
    this.#random = seededRandom(seed);
    this.seen = seen;
    const { rig } = this;
    this.town = new BanTown(rig.clock);
    rig.history = this.town.all.flatMap(({ player: { id, name } }) =>
      id === undefined ? [] : [{ playerId: id, name, earlierNames: [], firstSeenS: 0, lastSeenS: 0 }],
    );
    rig.answering = (text, _signal, mayStart) => this.#serve(text, mayStart);
    rig.audit.pause = async () => this.point();
    rig.onFresh = async () => await this.look();
  }

  below(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }

  chance(share: number): boolean {
    return this.#random.next() < share;
  }

  /** A place where the process may end. */
  point(): void {
    this.#pointsLeft -= 1;
    if (this.#pointsLeft >= 0 || this.#isDown) return;
    this.#isDown = true;
    this.#pointsLeft = Number.POSITIVE_INFINITY;
    const { rig } = this;
    const isTakeover = this.chance(0.15);
    if (isTakeover) {
      this.seen.takeovers += 1;
      rig.takeOver();
    } else {
      this.seen.kills += 1;
      rig.crash();
    }
    rig.audit.failure = undefined;
    const awayMs = isTakeover ? 0 : this.below(this.chance(0.2) ? 20 * MINUTE_MS : 20_000);
    rig.clock.after(awayMs, () => {
      this.start().catch(() => {
        // The process ends where its store refuses what a start has to write, and begins again.
        this.#isDown = false;
        this.#pointsLeft = 0;
        this.#mend();
        this.point();
      });
    });
  }

  async start(): Promise<void> {
    const { rig } = this;
    this.#isDown = false;
    rig.banEndDocuments.onWrite = () => this.point();
    await rig.runs.start();
    rig.runs.beginSchedules();
  }

  /** What the next answer shows. */
  async look(): Promise<void> {
    const { rig, town } = this;
    town.readAtMs = rig.clock.monotonicMs();
    rig.commandLogs = town.window;
    if (this.#isDown) return;
    const players = rig.players;
    const look = { ...rig.snapshot([...town.window]), serviceAtMs: town.serviceAtMs };
    // A store that refuses lets the next answer bring the same.
    await rig.journal.take({ ...look, lists: { ...look.lists, players } }).catch(() => undefined);
  }

  /** One thing that somebody does or that goes wrong. */
  async step(): Promise<void> {
    const { rig, town } = this;
    if (this.chance(0.4)) this.#mend();
    const dice = this.below(100);
    const who = town.all[this.below(town.all.length)] ?? town.all[0];
    assert.ok(who !== undefined);
    const { name, id } = who.player;
    if (dice < 50) this.#banSome();
    else if (dice < 53) this.#ask(`:ban ${id} for good ${this.below(1e6)}`, undefined);
    else if (dice < 56) this.#ask(`:unban ${id}`, undefined);
    else if (dice < 60) town.type("ban", who, { by: "Moe", word: this.chance(0.5) ? name : String(id) });
    else if (dice < 63) town.type("ban", who, { by: undefined, word: String(id) });
    else if (dice < 67) town.type("unban", who, { by: "Moe", word: name });
    else if (dice < 72) town.say(`:log ${this.below(1e6)}`);
    else if (dice < 76)
      rig.banEndDocuments.refuseWrites = this.chance(0.4) ? new Error("disk full") : undefined;
    else if (dice < 79) rig.audit.failure = this.chance(0.4) ? new Error("disk full") : undefined;
    else if (dice < 82) rig.parkedWhy = this.chance(0.4) ? "regenerated" : undefined;
    else if (dice < 86) rig.players = this.chance(0.4) ? [] : town.present;
    else if (dice < 90) this.#setClock();
    else if (!this.#isDown) this.#pointsLeft = this.below(30);
  }

  #banSome(): void {
    for (let left = 1 + this.below(5); left > 0; left -= 1) {
      const { name, id } = this.town.all[this.below(this.town.all.length)]?.player ?? {};
      this.#ask(`:ban ${this.chance(0.5) ? name : id} spam ${this.below(1e6)}`, this.#lastsMs());
    }
  }

  #mend(): void {
    const { rig, town } = this;
    rig.parkedWhy = undefined;
    rig.banEndDocuments.refuseWrites = undefined;
    rig.audit.failure = undefined;
    rig.players = town.present;
  }

  /** All is well again; a Manager decides about what was left to them. */
  async calm(): Promise<void> {
    const { rig, town } = this;
    this.isCalm = true;
    this.#pointsLeft = Number.POSITIVE_INFINITY;
    this.#mend();
    await this.pass(25 * MINUTE_MS);
    const manager = rig.actor("manager");
    for (const { end } of rig.runs.banEnds.list("g1")) {
      if (end.state !== "held") continue;
      this.seen.held += 1;
      const stands = town.standsTimed(end.playerId);
      const isIt = stands !== undefined && stands.number === this.#numberOf(end.text);
      await (isIt ? rig.runs.banEnds.letEnd(manager, end.id) : rig.runs.banEnds.keepBanned(manager, end.id));
    }
    await this.pass(90 * MINUTE_MS);
  }

  /** Time passes, with a look now and then. */
  async pass(ms: number): Promise<void> {
    const { rig, town } = this;
    for (let leftMs = ms; leftMs > 0; ) {
      const tickMs = Math.min(leftMs, 20_000 + this.below(40_000));
      await rig.clock.advance(tickMs);
      leftMs -= tickMs;
      if (rig.players.length > 0 || this.isCalm) rig.players = town.present;
      // Where the process is killed meanwhile, it never ends.
      void this.look();
      await rig.clock.advance(0);
    }
  }

  /** Each ban that ran and that nobody touched was lifted. */
  judge(): void {
    assert.deepEqual(this.defects.map(String), []);
    for (const { playerId, lifted, isOver } of this.town.timed) {
      this.seen.bans += 1;
      this.seen.lifted += lifted;
      assert.ok(lifted === 1 || isOver, `${playerId} was never lifted`);
    }
    this.seen.unseeable += this.town.unseeable;
    assert.equal(this.rig.runs.banEnds.list("g1").length, 0, "an end is left");
  }

  readonly #numbers = new Map<string, number>();

  #numberOf(text: string): number | undefined {
    return this.#numbers.get(text);
  }

  #lastsMs(): number {
    return (1 + this.below(40)) * MINUTE_MS;
  }

  #setClock(): void {
    const ms = (this.chance(0.5) ? 1 : -1) * this.below(this.chance(0.3) ? 300 * MINUTE_MS : 2 * MINUTE_MS);
    this.rig.clock.step(ms);
    this.rig.readyAtMs += ms;
  }

  #ask(text: string, lastsMs: number | undefined): void {
    const { rig } = this;
    if (this.#isDown) return;
    const actor = rig.actor("admin");
    const term = lastsMs === undefined ? {} : { term: { lastsMs } };
    const ask = async () => {
      const plan = await rig.runs.runner.plan({ actor, binding, text, origin: "command", ...term });
      await (plan.confirm === "none"
        ? rig.runs.runner.submit(plan)
        : rig.runs.runner.confirmed(plan.id, actor));
    };
    ask().catch((error: unknown) => {
      if (!(error instanceof Failure)) this.defects.push(error);
    });
  }

  /** What the judge says here would else be one more answer that got lost. */
  async #serve(text: string, mayStart: () => boolean): Promise<string> {
    try {
      return await this.#answer(text, mayStart);
    } catch (error) {
      if (!(error instanceof Failure)) this.defects.push(error);
      throw error;
    }
  }

  async #answer(text: string, mayStart: () => boolean): Promise<string> {
    const { rig, town } = this;
    if (!this.isCalm && this.chance(0.1)) await rig.clock.sleep(this.below(20_000));
    const dice = this.isCalm ? 0.5 : this.#random.next();
    if (dice < 0.04)
      throw new Failure("rate-limited", "wait", { retryAtMs: rig.clock.nowMs() + this.below(60_000) });
    if (!mayStart()) throw new Failure("expired", "no longer wanted");
    this.point();
    if (rig.players.length === 0) throw new Failure("server-empty", "offline");
    if (dice < 0.07) throw new Failure("platform", "no");
    // It never arrived, and nobody says so.
    if (dice > 0.95) throw new Failure("unreachable", "?", { ran: "unknown" });
    const row = [...rig.audit.rows.values()].findLast((one) => one.text === text && one.status === "sending");
    assert.ok(row !== undefined, `${text} was sent without its row`);
    const lastsMs = row.ends !== undefined && "lastsMs" in row.ends.term ? row.ends.term.lastsMs : undefined;
    const isLift = row.origin === "ban-end";
    if (isLift) this.#judgeClaim(row.id);
    if (lastsMs !== undefined) this.#numbers.set(text, town.timed.length);
    town.run(text, { lastsMs, isLift }, this.below(1_500));
    this.point();
    if (dice > 0.9) throw new Failure("unreachable", "?", { ran: "unknown" });
    if (dice > 0.88) await this.#silence();
    await rig.clock.sleep(this.below(1_000));
    return "Success";
  }

  /** As long as the client waits. */
  async #silence(): Promise<never> {
    await this.rig.clock.sleep(MINUTE_MS);
    throw new Failure("unreachable", "silence", { ran: "unknown" });
  }

  #judgeClaim(runId: string): void {
    const ends = [...this.rig.banEndTexts.values()].map((text) => JSON.parse(text));
    assert.ok(
      ends.some((end) => end.liftId === runId && end.state === "lifting"),
      "an un-ban was sent that is not claimed in the store",
    );
  }
}

export function nothingSeen(): Seen {
  return { bans: 0, lifted: 0, kills: 0, takeovers: 0, held: 0, unseeable: 0 };
}

/** What was seen in these trials together. Rejects with the seed of one that went wrong. */
export async function tryInterleavings(from: number, count: number, seen = nothingSeen()): Promise<Seen> {
  for (let seed = from; seed < from + count; seed += 1) {
    const trial = new Trial(seed, seen);
    try {
      await trial.look();
      await trial.start();
      trial.rig.players = trial.town.present;
      for (let step = 60; step > 0; step -= 1) {
        await trial.step();
        await trial.pass(trial.below(trial.chance(0.3) ? 4 * MINUTE_MS : 40_000));
      }
      await trial.calm();
      trial.judge();
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  }
  return seen;
}
