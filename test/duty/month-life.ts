import { Failure } from "../../src/domain/failure.ts";
import type { Random } from "../../src/domain/ports/clock.ts";
import type { Databases } from "../history/tracked-databases.ts";
import { seededRandom } from "../support/clock.ts";
import { type DutyRig, EAST, member, openDutyRig, WEST } from "./duty-rig.ts";
import type { MonthLink, MonthMark, Span } from "./month-judge.ts";
import { MonthTown } from "./month-town.ts";

/** A month of twelve people of staff on two servers, with all that comes between; or some of its evenings. */

export interface MonthPlan {
  /** The first evening, epoch seconds. */
  readonly startS: number;
  readonly days: number;
  /** How long each evening lasts. */
  readonly eveningS: number;
  /** Seconds between two looks at a server, evening by evening; from the beginning again when they are used up. */
  readonly looksS: readonly number[];
  readonly seed: number;
}

export interface Month {
  readonly rig: DutyRig;
  readonly towns: readonly MonthTown[];
  readonly marks: readonly MonthMark[];
  readonly links: readonly MonthLink[];
  readonly userIds: readonly string[];
  readonly patrolId: string;
  readonly dispatchId: string;
  readonly whole: Span;
  readonly evenings: readonly Span[];
  /** What happened, by its name. */
  readonly counts: ReadonlyMap<string, number>;
}

const STAFF = 12;
const DAY_S = 86_400;
export const DISPATCH = "Dispatch";
/** After an evening nobody comes; long enough for every shift to end by itself. */
const NIGHT_S = 2 * 3_600;

class MonthLife {
  readonly #plan: MonthPlan;
  readonly #random: Random;
  readonly #url: string;
  readonly #databases: Databases;
  readonly towns = [new MonthTown(EAST), new MonthTown(WEST)];
  readonly marks: MonthMark[] = [];
  readonly links: MonthLink[] = [];
  readonly counts = new Map<string, number>();
  readonly userIds = Array.from({ length: STAFF }, (_, n) => `u${n}`);
  rig: DutyRig;
  #isOff = false;

  constructor(
    plan: MonthPlan,
    parts: { readonly rig: DutyRig; readonly url: string; readonly databases: Databases },
  ) {
    this.#plan = plan;
    this.#random = seededRandom(plan.seed);
    this.rig = parts.rig;
    this.#url = parts.url;
    this.#databases = parts.databases;
  }

  async live(): Promise<readonly Span[]> {
    const { startS, days, eveningS, looksS } = this.#plan;
    for (const userId of this.userIds) await this.#link(userId, startS + 1);
    const evenings: Span[] = [];
    for (let day = 0; day < days; day += 1) {
      const evening = { fromS: startS + day * DAY_S + 10, untilS: startS + day * DAY_S + eveningS };
      evenings.push({ fromS: evening.fromS, untilS: evening.untilS + NIGHT_S });
      const lookS = looksS[day % looksS.length] ?? 60;
      await this.#evening(evening, lookS);
      await this.#night(evening.untilS, 300);
    }
    return evenings;
  }

  async #evening({ fromS, untilS }: Span, lookS: number): Promise<void> {
    // An hour in which nobody is answered, and one in which the bot is off.
    const deafFromS = fromS + (untilS - fromS) * (0.2 + this.#random.next() * 0.2);
    const deafS = Math.min(3_600, (untilS - fromS) / 5);
    const offFromS = fromS + (untilS - fromS) * (0.6 + this.#random.next() * 0.2);
    const offS = Math.min(3_600, (untilS - fromS) / 8);
    let actionS = fromS;
    for (let nowS = fromS; nowS < untilS; nowS += lookS) {
      this.#isOff = nowS > offFromS && nowS < offFromS + offS;
      while (actionS < nowS + lookS && actionS < untilS) {
        await this.rig.clock.advanceTo(actionS * 1_000);
        await this.#act(actionS);
        actionS += 3 + Math.floor(this.#random.next() * 25);
      }
      const isDeaf = nowS > deafFromS && nowS < deafFromS + deafS;
      if (this.#isOff || isDeaf) continue;
      await this.#look(nowS + lookS);
    }
    this.#isOff = false;
  }

  /** Everybody goes home, and the bot goes on looking. */
  async #night(fromS: number, everyS: number): Promise<void> {
    for (const town of this.towns)
      for (const { playerId } of [...this.links]) town.leave(playerId, fromS + 5);
    for (let atS = fromS + everyS; atS < fromS + NIGHT_S; atS += everyS) await this.#look(atS);
  }

  async #look(atS: number): Promise<void> {
    await this.rig.clock.advanceTo(atS * 1_000);
    for (const town of this.towns) await this.rig.take(town.look(atS));
  }

  /** One thing that somebody does in this second. */
  async #act(atS: number): Promise<void> {
    const userId = this.#one(this.userIds);
    const link = this.links.findLast((one) => one.userId === userId && one.untilS === undefined);
    if (link === undefined) {
      if (this.#chance(0.5)) await this.#link(userId, atS);
      return;
    }
    const { playerId } = link;
    const here = this.towns.find((town) => town.has(playerId));
    const [dice, town] = [this.#random.next(), this.#one(this.towns)];
    if (here === undefined) {
      if (dice < 0.55)
        this.#count("join", () => town.join({ name: this.#name(playerId), id: playerId }, atS));
      else if (dice < 0.7) await this.#say(userId, "start", atS);
      else if (dice < 0.75) await this.#say(userId, "end", atS);
      return;
    }
    if (dice < 0.1) this.#count("leave", () => here.leave(playerId, atS));
    else if (dice < 0.14) this.#switch(playerId, here, atS);
    else if (dice < 0.3) await this.#say(userId, "start", atS);
    else if (dice < 0.36) await this.#say(userId, "end", atS);
    else if (dice < 0.44) await this.#say(userId, "break", atS);
    else if (dice < 0.48) this.#type(userId, playerId, here, atS);
    else if (dice < 0.56)
      this.#count("team", () => here.change(playerId, { team: this.#chance(0.5) ? DISPATCH : "Police" }));
    else if (dice < 0.58) here.change(playerId, { callsign: `1-${Math.floor(dice * 1_000)}` });
    else if (dice < 0.585) await this.#unlink(link, atS);
    else if (dice < 0.595) here.change(playerId, { ref: { name: this.#name(playerId, atS), id: playerId } });
    else if (dice < 0.6) this.#count("game end", () => here.end(atS));
    else if (dice < 0.61) await this.#restart();
  }

  #switch(playerId: number, here: MonthTown, atS: number): void {
    this.#count("switch", () => {
      here.leave(playerId, atS);
      const other = this.towns.find((town) => town !== here);
      if (!here.has(playerId)) other?.join({ name: this.#name(playerId), id: playerId }, atS);
    });
  }

  async #say(userId: string, kind: "start" | "break" | "end", atS: number): Promise<void> {
    if (this.#isOff) return;
    const { duty } = this.rig.wing;
    const actor = member(userId);
    try {
      if (kind === "start") {
        const { shift } = await duty.start(actor, "patrol");
        // Whoever is on duty goes on, and said nothing.
        if (shift.fromS === atS) this.marks.push({ userId, atS, kind, isTyped: false });
      } else if (kind === "end") {
        await duty.end(actor);
        this.marks.push({ userId, atS, kind, isTyped: false });
      } else {
        const { breakFromS } = await duty.pause(actor);
        this.marks.push({ userId, atS, kind: breakFromS === undefined ? "resume" : "break", isTyped: false });
      }
      this.#count(kind, () => undefined);
    } catch (error) {
      // Off duty already, or not on.
      if (!(error instanceof Failure)) throw error;
    }
  }

  #type(userId: string, playerId: number, here: MonthTown, atS: number): void {
    const kind = this.#one(["start", "break", "end"] as const);
    const words = { start: ":log duty", break: ":log break", end: ":log off" } as const;
    here.say(playerId, words[kind], atS);
    this.marks.push({ userId, atS, kind, isTyped: true });
    this.#count("typed", () => undefined);
  }

  async #link(userId: string, atS: number): Promise<void> {
    const nth = Number(userId.slice(1));
    const isSecond = this.links.some((one) => one.userId === userId) && this.#chance(0.4);
    const playerId = (isSecond ? 500 : 100) + nth;
    if (this.links.some((one) => one.playerId === playerId && one.untilS === undefined)) return;
    this.rig.link(userId, { name: this.#name(playerId), id: playerId }, atS);
    this.links.push({ userId, playerId, fromS: atS, untilS: undefined });
    await this.rig.wing.duty.types("900");
    this.#count("link", () => undefined);
  }

  async #unlink(link: MonthLink, atS: number): Promise<void> {
    if (this.#isOff) return;
    this.rig.unlink(link.userId);
    link.untilS = atS;
    await this.rig.wing.duty.types("900");
    this.#count("unlink", () => undefined);
  }

  async #restart(): Promise<void> {
    const { startS } = this.#plan;
    await this.rig.wing.stop();
    this.rig = await openDutyRig(this.#databases, { startS, url: this.#url, before: this.rig });
    this.#count("restart", () => undefined);
  }

  #name(playerId: number, version = 0): string {
    return `Staff_${playerId}_${version}`;
  }

  #count(what: string, work: () => void): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
    work();
  }

  #one<T>(some: readonly T[]): T {
    const one = some[Math.floor(this.#random.next() * some.length)];
    if (one === undefined) throw new Error("nothing to choose from");
    return one;
  }

  #chance(share: number): boolean {
    return this.#random.next() < share;
  }
}

/** Lives through it, until every shift is over. */
export async function liveMonth(databases: Databases, plan: MonthPlan): Promise<Month> {
  const { startS } = plan;
  const url = await databases.fresh();
  const rig = await openDutyRig(databases, { startS, url });
  const patrol = await rig.addType({ name: "Patrol", start: "declared" });
  const dispatch = await rig.addType({ name: "Dispatch", start: "team", teams: [DISPATCH.toLowerCase()] });
  const life = new MonthLife(plan, { rig, url, databases });
  const evenings = await life.live();
  const { marks, links, towns, userIds, counts } = life;
  const shownMarks = marks.filter(
    ({ userId, atS, isTyped }) =>
      !isTyped ||
      towns.some((town) =>
        town.typed.some(
          (typed) =>
            typed.atS === atS &&
            town.shown.has(typed.row) &&
            links.some((link) => link.userId === userId && link.playerId === typed.playerId),
        ),
      ),
  );
  const whole = { fromS: startS, untilS: (evenings.at(-1)?.untilS ?? startS) + 1 };
  const ids = { patrolId: patrol.id, dispatchId: dispatch.id };
  return { rig: life.rig, towns, marks: shownMarks, links, userIds, ...ids, whole, evenings, counts };
}
