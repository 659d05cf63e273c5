import { Failure } from "../../domain/failure.ts";
import type { Actor, Binding, GuildSettings } from "../../domain/guild.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { Random } from "../../domain/ports/clock.ts";
import type { NewSchedule, Schedules, ScheduleView } from "../../domain/ports/schedules.ts";
import type { LastDue, Schedule } from "../../domain/schedule.ts";
import { DEFAULT_ZONE } from "../../domain/time-zones.ts";
import { type DueStep, dueStep } from "./due-step.ts";
import { DueTimer } from "./due-timer.ts";
import { type KeptPorts, KeptSchedules } from "./kept-schedules.ts";
import { type DueEnd, type LaunchPorts, launchDue, removed } from "./launch-due.ts";
import { textOf } from "./may-schedule.ts";
import { newSchedule } from "./new-schedule.ts";
import { nextTime } from "./next-time.ts";
import { type NoticePorts, ScheduleNotices } from "./schedule-notices.ts";

const MOST_OF_GUILD = 20;
/** Failures in a row after which the guild gets one notice. */
const TOLD_AFTER_FAILURES = 3;

export interface ScheduleBookPorts extends LaunchPorts, Omit<KeptPorts, "audit">, Omit<NoticePorts, "audit"> {
  readonly audit: KeptPorts["audit"] & NoticePorts["audit"];
  readonly random: Random;
  readonly isStoreInDoubt?: boolean | undefined;
}

/** Wait after the store failed: by then the due time may be too old, and is left out. */
const AGAIN_AFTER_MS = 20_000;

/** A due time that was claimed in the store before anything is sent: no later look finds it due. */
interface Claim {
  readonly schedule: Schedule;
  readonly last: LastDue;
}

/** The schedules of guilds: each due time is claimed, checked, run or left out with its reason. */
export class ScheduleBook implements Schedules {
  readonly #ports: ScheduleBookPorts;
  readonly #kept: KeptSchedules;
  readonly #timer: DueTimer;
  readonly #notices: ScheduleNotices;
  readonly #changes = new KeyedMutex();
  readonly #zones = new Map<string, string>();
  readonly #open = new Set<Promise<void>>();
  #ended: readonly Schedule[] = [];
  /** When this process began to look, by the monotonic clock. */
  #beganMs = Number.POSITIVE_INFINITY;
  /** The same by the wall clock of then. */
  #beganThenMs = Number.POSITIVE_INFINITY;

  constructor(ports: ScheduleBookPorts) {
    this.#ports = ports;
    this.#kept = new KeptSchedules(ports);
    this.#notices = new ScheduleNotices(ports);
    this.#timer = new DueTimer({
      clock: ports.clock,
      onDue: (id) => this.#onDue(id),
      onClockSet: () => this.#setTimes(this.#kept.all()),
    });
  }

  get count(): number {
    return this.#kept.size;
  }

  /** Reads the store. To be called after the runs of an earlier process were concluded. */
  async load(): Promise<void> {
    this.#ended = await this.#kept.load();
    for (const { guildId } of this.#kept.all()) {
      if (!this.#zones.has(guildId)) await this.#readSettings(guildId);
    }
  }

  /** From now on schedules run; what was due before is left out. */
  begin(): void {
    this.#beganMs = this.#ports.clock.monotonicMs();
    this.#beganThenMs = this.#ports.clock.nowMs();
    this.#setTimes(this.#kept.all());
    this.#timer.start();
    for (const schedule of this.#ended) this.#track(this.#tellEnd([schedule], schedule.endedWhy ?? ""));
    this.#ended = [];
  }

  /** Begins nothing more. */
  async stop(): Promise<void> {
    await this.#timer.stop();
  }

  /** Resolves when the results so far have been written. */
  async flushed(): Promise<void> {
    await Promise.all(this.#open);
  }

  async add(actor: Actor, wanted: NewSchedule): Promise<ScheduleView> {
    const { clock, random } = this.#ports;
    const { guildId } = actor;
    const settings = await this.#readSettings(guildId);
    const schedule = newSchedule(actor, wanted, { settings, id: random.id(), nowMs: clock.nowMs() });
    await this.#changes.take(guildId, async () => {
      if (this.#kept.of(guildId).length >= MOST_OF_GUILD) {
        throw new Failure(
          "bad-command",
          `This community has ${MOST_OF_GUILD} schedules, the maximum. Remove one first.`,
        );
      }
      await this.#kept.add(schedule);
    });
    this.#setTimes([schedule]);
    return await this.#view(schedule, settings);
  }

  async list(guildId: string): Promise<readonly ScheduleView[]> {
    const schedules = this.#kept.of(guildId);
    if (schedules.length === 0) return [];
    const settings = await this.#readSettings(guildId);
    return await Promise.all(schedules.map((one) => this.#view(one, settings)));
  }

  async remove(guildId: string, id: string): Promise<Schedule | undefined> {
    return await this.#changes.take(guildId, async () => {
      const schedule = this.#kept.get(id);
      if (schedule?.guildId !== guildId) return undefined;
      await this.#kept.delete(schedule);
      this.#timer.delete(id);
      this.#withdraw(schedule, removed());
      return schedule;
    });
  }

  async onZoneChanged(guildId: string): Promise<void> {
    await this.#readSettings(guildId);
    this.#setTimes(this.#kept.of(guildId));
  }

  /** A server was unlinked: its schedules end, and the guild gets one notice for all of them. */
  async onUnlinked({ guildId, id, name }: Binding): Promise<void> {
    const of = this.#kept.of(guildId).filter(({ bindingId }) => bindingId === id);
    if (of.length > 0) await this.#end(of, `${name} was unlinked.`);
  }

  /** The guild has removed the bot, so no notice can reach it. */
  async forgetGuild(guildId: string): Promise<void> {
    for (const { id } of this.#kept.of(guildId)) await this.remove(guildId, id);
    this.#zones.delete(guildId);
  }

  async #onDue(id: string): Promise<void> {
    const guildId = this.#kept.get(id)?.guildId;
    if (guildId === undefined) return;
    try {
      const claim = await this.#changes.take(guildId, () => this.#claim(id));
      if (claim !== undefined) await this.#run(claim);
      const schedule = this.#kept.get(id);
      if (schedule !== undefined) this.#setTimes([schedule]);
    } catch (error) {
      this.#ports.report("a schedule could not be looked after", error);
      if (this.#kept.get(id) !== undefined) this.#timer.set(id, this.#ports.clock.nowMs() + AGAIN_AFTER_MS);
    }
  }

  /** Settles what is due. undefined: nothing is to be run now. Rejects when the store does, and then nothing is. */
  async #claim(id: string): Promise<Claim | undefined> {
    for (let schedule = this.#kept.get(id); schedule !== undefined; schedule = this.#kept.get(id)) {
      await this.#readSettings(schedule.guildId);
      const step = this.#stepOf(schedule);
      if (step.kind === "wait") return undefined;
      if (step.kind === "put-back") {
        this.#kept.note({ ...schedule, claimedMs: step.claimMs });
        continue;
      }
      const { dueAtMs } = step;
      const runId = this.#ports.random.id();
      if (step.kind === "run") {
        const last = { dueAtMs, runId, result: "claimed" } as const;
        return { schedule: await this.#claimed({ ...schedule, claimedMs: dueAtMs, last }), last };
      }
      const last = { dueAtMs, runId, result: step.result, why: step.why } as const;
      await this.#claimed({ ...schedule, claimedMs: step.claimMs, last });
    }
    return undefined;
  }

  async #claimed(schedule: Schedule): Promise<Schedule> {
    try {
      await this.#kept.put(schedule);
      return schedule;
    } catch (error) {
      const { last } = schedule;
      const why = "Marshal could not write to its database.";
      if (last?.result === "claimed")
        this.#kept.note({ ...schedule, last: { ...last, result: "skipped", why } });
      throw error;
    }
  }

  async #run({ schedule, last }: Claim): Promise<void> {
    const { runId } = last;
    const isKept = () => this.#kept.get(schedule.id)?.last?.runId === runId;
    const launch = await launchDue(this.#ports, schedule, { runId, isKept });
    if (launch.kind === "over") await this.#settle(schedule, last, launch.end);
    else if (launch.kind === "submitted") {
      this.#track(launch.end.then((end) => this.#settle(schedule, last, end)));
    } else {
      const also = this.#kept.of(schedule.guildId).filter((other) => {
        return other.id !== schedule.id && other.ownerId === schedule.ownerId && launch.also(other);
      });
      await this.#end([schedule, ...also], launch.why);
    }
  }

  /** Writes how a due time ended, and tells the guild where that has become a habit. */
  async #settle({ id, guildId }: Schedule, { dueAtMs, runId }: LastDue, end: DueEnd): Promise<void> {
    const { result, why } = end;
    const failures = await this.#changes.take(guildId, async () => {
      const schedule = this.#kept.get(id);
      if (schedule?.last?.runId !== runId) return 0;
      const failed = result === "ran" ? 0 : schedule.failures + (end.isFailure ? 1 : 0);
      const last = { dueAtMs, runId, result, ...(why === undefined ? {} : { why }) };
      await this.#kept.put({ ...schedule, failures: failed, last });
      return end.isFailure ? failed : 0;
    });
    const schedule = this.#kept.get(id);
    if (failures !== TOLD_AFTER_FAILURES || schedule === undefined) return;
    await this.#notices.onFailing(schedule, why ?? "");
  }

  async #end(schedules: readonly Schedule[], why: string): Promise<void> {
    const ended: Schedule[] = [];
    for (const one of schedules) {
      await this.#changes.take(one.guildId, async () => {
        const schedule = this.#kept.get(one.id);
        if (schedule === undefined) return;
        this.#timer.delete(one.id);
        ended.push(schedule);
        await this.#kept.end(schedule, why);
        this.#withdraw(schedule, new Failure("expired", why));
      });
    }
    await this.#tellEnd(ended, why);
  }

  /** Takes its run out of the queue, where one waits. */
  #withdraw({ last }: Schedule, why: Failure): void {
    if (last?.result === "claimed") this.#ports.runner.withdraw(last.runId, why);
  }

  /** Tells it; then nothing of them is kept. */
  async #tellEnd(schedules: readonly Schedule[], why: string): Promise<void> {
    await this.#notices.onEnded(schedules, why);
    for (const schedule of schedules) await this.#kept.delete(schedule);
  }

  async #view(schedule: Schedule, { presets }: GuildSettings): Promise<ScheduleView> {
    const text = textOf(schedule.what, presets);
    const nowMs = this.#ports.clock.nowMs();
    const nextAtMs = nextTime(schedule, this.#zoneOf(schedule), Math.max(nowMs, schedule.claimedMs));
    return { schedule, text, nextAtMs, last: await this.#kept.lastOf(schedule) };
  }

  #setTimes(schedules: readonly Schedule[]): void {
    for (const schedule of schedules) {
      const step = this.#stepOf(schedule);
      this.#timer.set(schedule.id, step.kind === "wait" ? step.untilMs : this.#ports.clock.nowMs());
    }
  }

  #stepOf(schedule: Schedule): DueStep {
    const { clock } = this.#ports;
    const nowMs = clock.nowMs();
    const beganMs = nowMs - (clock.monotonicMs() - this.#beganMs);
    const began = { beganMs, beganThenMs: this.#beganThenMs };
    const isStoreInDoubt = this.#ports.isStoreInDoubt ?? false;
    return dueStep(schedule, { zone: this.#zoneOf(schedule), nowMs, ...began, isStoreInDoubt });
  }

  #zoneOf({ guildId }: Schedule): string {
    return this.#zones.get(guildId) ?? DEFAULT_ZONE;
  }

  async #readSettings(guildId: string): Promise<GuildSettings> {
    const settings = await this.#ports.settings.of(guildId);
    this.#zones.set(guildId, settings.timeZone ?? DEFAULT_ZONE);
    return settings;
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.#ports.report("how a schedule ended could not be written", error))
      .finally(() => this.#open.delete(tracked));
    this.#open.add(tracked);
  }
}
