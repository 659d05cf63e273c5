import type { BanEnd } from "../../domain/ban-end.ts";
import { Failure } from "../../domain/failure.ts";
import type { Actor, Binding } from "../../domain/guild.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { BanEnds, BanEndView } from "../../domain/ports/ban-ends.ts";
import type { Random } from "../../domain/ports/clock.ts";
import type { Runner } from "../../domain/ports/runner.ts";
import type { RunRecord } from "../../domain/run.ts";
import { isOver } from "../audit/run-record.ts";
import { parseCommand } from "../catalogue/parse-command.ts";
import { DueTimer } from "../schedules/due-timer.ts";
import { BanEndChanges } from "./ban-end-changes.ts";
import type { BanNoticePorts } from "./ban-notices.ts";
import type { BanWatch } from "./ban-watch.ts";
import { type CheckLiftPorts, checkLift } from "./check-lift.ts";
import { DueTimes } from "./due-times.ts";
import { afterLaterBan, afterOwnBan, armed, held, type Next, type Row } from "./end-after-run.ts";
import type { KeptBanEnds } from "./kept-ban-ends.ts";
import { laterWords, names } from "./later-bans.ts";

/** After its un-ban got no answer the log is looked into for so long. */
const PROOF_WITHIN_MS = 3 * 60_000;
const TOO_LATE = "Too late: its un-ban is being sent. /run bans shows what came of it.";
/** Wait after the store failed. */
const AGAIN_AFTER_MS = 20_000;
/** Where the store was set back, an un-ban that it does not know of may have left; so long its row may take. */
const DOUBT_MS = 90_000;

export interface BanEndPorts extends CheckLiftPorts, BanNoticePorts {
  readonly kept: KeptBanEnds;
  readonly bans: Pick<BanWatch, "ranWithinMs">;
  readonly audit: Pick<AuditLog, "get" | "event">;
  readonly runner: Pick<Runner, "plan" | "submit"> & { withdraw(runId: string, why: Failure): boolean };
  readonly random: Random;
  /** The store may be set back by seconds. */
  readonly isStoreInDoubt: boolean;
  report(what: string, error: unknown): void;
}

/** Lifts each ban that is to end, once, with an un-ban that is claimed before it is sent. */
export class BanEndBook implements BanEnds {
  readonly changes: BanEndChanges;
  readonly #ports: BanEndPorts;
  readonly #timer: DueTimer;
  readonly #times: DueTimes;
  /** Linked servers for which an un-ban is under way, and its run. */
  readonly #busy = new Map<string, string>();

  constructor(ports: BanEndPorts) {
    this.#ports = ports;
    this.#times = new DueTimes(ports);
    this.changes = new BanEndChanges({
      ...ports,
      times: this.#times,
      withdraw: (runId, why) => void ports.runner.withdraw(runId, why),
      onChanged: (bindingId) => this.#arm(bindingId),
    });
    this.#timer = new DueTimer({
      clock: ports.clock,
      onDue: (bindingId) => this.#onDue(bindingId),
      onClockSet: () => this.#armAll(),
    });
  }

  get count(): number {
    return this.#ports.kept.size;
  }

  /** Reads the store. To be called after the runs of an earlier process were concluded. */
  async load(): Promise<void> {
    const { kept, audit, bans, isStoreInDoubt } = this.#ports;
    for (const { id, guildId, laterId, liftId } of await kept.load()) {
      if (isStoreInDoubt) this.#times.waitFor({ id }, DOUBT_MS, "Marshal has just started.");
      const rowOf = (runId: string) => audit.get(guildId, runId);
      await this.changes.change(id, async (end) => {
        return afterOwnBan(end, await rowOf(id), bans.ranWithinMs(id));
      });
      if (laterId !== undefined)
        await this.changes.change(id, async (end) => afterLaterBan(end, await rowOf(laterId)));
      if (liftId === undefined) continue;
      await this.changes.lifted(id, liftId, await rowOf(liftId));
      this.#holdUnproved(id, liftId);
    }
  }

  /** From now on bans end. What an earlier process had not told is told. */
  begin(): void {
    const { kept } = this.#ports;
    for (const bindingId of kept.servers()) {
      for (const end of kept.ofServer(bindingId)) if (end.state === "over") this.changes.tellOver(end);
    }
    this.#armAll();
    this.#timer.start();
  }

  /** Begins nothing more. */
  async stop(): Promise<void> {
    await this.#timer.stop();
  }

  list(guildId: string): readonly BanEndView[] {
    return this.#ports.kept
      .of(guildId)
      .filter(({ state }) => state !== "over")
      .map((end) => ({ end, waits: this.#times.whyOf(end) }));
  }

  async keepBanned({ guildId }: Actor, id: string): Promise<BanEnd | undefined> {
    return await this.changes.must(id, async (end) => {
      if (end.guildId !== guildId) return undefined;
      // Nobody is to read that a player stays banned who may play again by now.
      if (!this.#withdraw(end, "Its end was removed.")) throw new Failure("expired", TOO_LATE);
      await this.#ports.kept.delete(end);
      return end;
    });
  }

  async letEnd({ guildId }: Actor, id: string): Promise<BanEnd | undefined> {
    return await this.changes.must(id, async (end) => {
      if (end.guildId !== guildId || end.state !== "held") return undefined;
      const next = armed(end);
      await this.#ports.kept.put(next);
      this.#times.forget(id);
      return next;
    });
  }

  /** A run is over, or its row in the audit was written. Takes no time and never throws. */
  onRun(record: RunRecord): void {
    const { kept } = this.#ports;
    if ((record.verb !== "ban" && record.verb !== "unban") || kept.size === 0) return;
    if (kept.get(record.id) !== undefined && isOver(record.status)) {
      const ranWithinMs = this.#ports.bans.ranWithinMs(record.id);
      this.changes.begin(record.id, (end) => afterOwnBan(end, record, ranWithinMs));
    }
    for (const bindingId of kept.servers()) {
      for (const { id, laterId, liftId } of kept.ofServer(bindingId)) {
        if (laterId === record.id) this.changes.begin(id, (end) => afterLaterBan(end, record));
        if (liftId === record.id) this.changes.track(this.changes.lifted(id, liftId, record));
      }
    }
  }

  /** The same once, at its end: by an un-ban of theirs somebody lifted a ban before its time, or banned again for sure. */
  onEnded(record: RunRecord): void {
    this.onRun(record);
    if ((record.verb !== "ban" && record.verb !== "unban") || record.ran !== "yes") return;
    const command = parseCommand(record.text);
    for (const end of this.#ports.kept.ofServer(record.bindingId)) {
      const hasRun = end.state === "armed" || end.state === "held";
      if (!hasRun || end.id === record.id || !names(end, { command, by: undefined }, [])) continue;
      // Nobody finds that out again, so it is written until the store takes it.
      if (record.verb === "unban") this.changes.begin(end.id, () => ({ kind: "gone" }));
      else if (end.heldFor === "later-unknown")
        this.changes.begin(end.id, (now) => afterLaterBan(now, record));
    }
  }

  /** Somebody is in that server now: what waits for it goes on. */
  onPlayers(bindingId: string): void {
    if (this.#times.forgetWait(bindingId, "players")) this.#arm(bindingId);
  }

  onResumed(guildId: string): void {
    for (const bindingId of new Set(this.#ports.kept.of(guildId).map((end) => end.bindingId)))
      if (this.#times.forgetWait(bindingId, "resume")) this.#arm(bindingId);
  }

  /** A server was unlinked: a Manager decides about the ends of its bans. */
  async onUnlinked({ id: bindingId, name }: Binding): Promise<void> {
    const why = `${name} was unlinked.`;
    const stopped: BanEnd[] = [];
    for (const { id } of this.#ports.kept.ofServer(bindingId)) {
      await this.changes.must(id, async (end) => {
        this.#withdraw(end, why);
        // One that is being sent waits for what its row says.
        if (end.state !== "armed") return;
        await this.#ports.kept.put(held(end, "unlinked", why));
        stopped.push(end);
      });
    }
    await this.changes.tellHeld(stopped, why);
  }

  async #onDue(bindingId: string): Promise<void> {
    const end = this.#busy.has(bindingId) ? undefined : this.#times.due(bindingId);
    try {
      if (end !== undefined) await this.#lift(end);
    } catch (error) {
      if (!(error instanceof Failure)) this.#ports.report("a ban could not be lifted", error);
      if (end !== undefined) this.#times.waitFor(end, AGAIN_AFTER_MS, "Marshal could not use its database.");
    }
    this.#arm(bindingId);
  }

  async #lift(end: BanEnd): Promise<void> {
    if (end.isLogLost === true) {
      const why = "Part of the game's log is missing since then, so a later ban may have been missed.";
      return await this.changes.change(end.id, (now) => ({ kind: "is", end: held(now, "log-lost", why) }));
    }
    const check = await checkLift(this.#ports, end);
    const { id, bindingId } = end;
    if (check.kind === "wait") {
      const { inMs, why, ofServer, endsBy } = check;
      if (ofServer) this.#times.serverWaitsFor(bindingId, inMs, { why, endsBy });
      else this.#times.waitFor(end, inMs, why);
    } else if (check.kind === "unlinked") {
      const why = `${end.serverName} is no longer linked.`;
      await this.changes.change(id, (now) => ({ kind: "is", end: held(now, "unlinked", why) }));
    } else if (check.kind === "later") {
      const isBan = check.row?.command.verb !== "unban";
      await this.changes.end(id, { isBan, why: laterWords(end, check.row) });
    } else if (check.kind === "earlier") {
      const why = `They were banned before, without an end or for longer: case ${check.caseNumber}. An un-ban would lift that too.`;
      await this.changes.change(id, (now) => ({ kind: "is", end: held(now, "earlier-ban", why) }));
    } else {
      const runId = this.#ports.random.id();
      const claimed = await this.changes.must(id, (now) => this.#claim(now, runId));
      if (claimed !== undefined) await this.#send(claimed, check.binding);
    }
  }

  /** Written before anything is sent: no later look finds it due. */
  async #claim(end: BanEnd, liftId: string): Promise<BanEnd | undefined> {
    if (end.state !== "armed" || end.laterId !== undefined) return undefined;
    const claimed: BanEnd = { ...end, state: "lifting", liftId };
    try {
      await this.#ports.kept.put(claimed);
      return claimed;
    } catch (error) {
      this.#ports.kept.note(end);
      this.changes.rewrite();
      throw error;
    }
  }

  /** Takes it through the audit and the queue as a person's command. */
  async #send(end: BanEnd, binding: Binding): Promise<void> {
    const { runner, clock } = this.#ports;
    const { id, bindingId, liftId = "", byId: userId, byName: userName, guildId, channelId } = end;
    const person = { userId, userName, guildId, channelId, roleIds: [], manageGuild: false };
    const actor = { ...person, askedAtMs: clock.nowMs() };
    const text = `:unban ${end.playerId}`;
    const only = { name: end.playerName, id: end.playerId };
    this.#busy.set(bindingId, liftId);
    try {
      const plan = await runner.plan({ actor, binding, text, origin: "ban-end", runId: liftId, only });
      const { outcome } = await runner.submit(plan);
      // Where it was given up meanwhile, nothing stood in the queue yet.
      const now = this.#ports.kept.get(id);
      if (now?.state !== "lifting" || now.liftId !== liftId) this.#withdraw(end, "It is no longer wanted.");
      this.changes.track(outcome.then(({ record }) => this.#onLifted(end, record)));
    } catch (error) {
      if (!(error instanceof Failure)) this.#ports.report("an un-ban could not be sent", error);
      const failureCode = error instanceof Failure ? error.code : "store";
      const row = { status: "failed", ran: "no", proof: "unchecked", failureCode } as const;
      await this.#onLifted(end, row);
    }
  }

  async #onLifted({ id, bindingId, liftId = "" }: BanEnd, row: Row): Promise<void> {
    this.#busy.delete(bindingId);
    await this.changes.lifted(id, liftId, row);
    this.#holdUnproved(id, liftId);
    this.#arm(bindingId);
  }

  /** An un-ban of which nobody knows whether it ran: in the end a Manager decides. */
  #holdUnproved(id: string, liftId: string): void {
    if (this.#ports.kept.get(id)?.state !== "lifting") return;
    const why = "Its un-ban got no answer, and the game's log does not show it.";
    this.#ports.clock.after(PROOF_WITHIN_MS, () => {
      this.changes.begin(id, (end): Next => {
        const isOpen = end.state === "lifting" && end.liftId === liftId;
        return isOpen ? { kind: "is", end: held(end, "lift-unknown", why) } : { kind: "same" };
      });
    });
  }

  /** False: its un-ban was sent. */
  #withdraw({ bindingId, liftId, state }: BanEnd, why: string): boolean {
    if (state !== "lifting" || liftId === undefined) return true;
    const isWithdrawn = this.#ports.runner.withdraw(liftId, new Failure("expired", why));
    return isWithdrawn && this.#busy.get(bindingId) === liftId;
  }

  #armAll(): void {
    for (const bindingId of this.#ports.kept.servers()) this.#arm(bindingId);
  }

  #arm(bindingId: string): void {
    const inMs = this.#busy.has(bindingId) ? undefined : this.#times.nextInMs(bindingId);
    if (inMs === undefined) this.#timer.delete(bindingId);
    else this.#timer.set(bindingId, this.#ports.clock.nowMs() + inMs);
  }
}
