import { type AskedBan, askedText } from "../../domain/asked-ban.ts";
import { Failure } from "../../domain/failure.ts";
import type { Actor } from "../../domain/guild.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { Snapshot, SourceId } from "../../domain/model.ts";
import type { AskedBans } from "../../domain/ports/asked-bans.ts";
import type { RunOutcome, RunRecord, SubmittedRun } from "../../domain/run.ts";
import { isOver } from "../audit/run-record.ts";
import type { AskedBanPorts } from "./asked-ban-ports.ts";
import { AskedChecks } from "./asked-checks.ts";
import { AskedEnds } from "./asked-ends.ts";
import { isOld, isTriedAgain, rolesThatBan, whyNoOther, whyUnsure, withoutRun } from "./asked-rules.ts";
import { AskedWaits } from "./asked-waits.ts";

const NOBODY_CAME = "Nobody was in the server for a day after it was approved.";

/** Bans that people ask for: one press of somebody else who may ban sends them, claimed before they are sent. */
export class AskedBanBook implements AskedBans {
  readonly #ports: AskedBanPorts;
  readonly #checks: AskedChecks;
  readonly #ends: AskedEnds;
  readonly #byId = new Map<string, AskedBan>();
  readonly #waits: AskedWaits;
  readonly #changes = new KeyedMutex();
  readonly #open = new Set<Promise<void>>();

  constructor(ports: AskedBanPorts) {
    this.#ports = ports;
    this.#checks = new AskedChecks(ports);
    this.#ends = new AskedEnds(ports);
    this.#waits = new AskedWaits({
      clock: ports.clock,
      onAgain: (id) => this.#track(this.#sendAgain(id)),
      onOld: (id) => this.#track(this.#closeUnsent(id, NOBODY_CAME)),
    });
  }

  /** Reads the store. To be called after the runs of an earlier process were concluded. */
  async load(): Promise<void> {
    const { documents, audit, owns, isStoreInDoubt, isOlderCopy = false } = this.#ports;
    for await (const [, asked] of documents.entries()) {
      if (!owns(asked.guildId)) continue;
      this.#byId.set(asked.id, asked);
      if (asked.runId === undefined) {
        if (isOlderCopy) await this.#closeUnsure(asked);
        continue;
      }
      const record = await audit.get(asked.guildId, asked.runId);
      if (record !== undefined) await this.#settle(asked, asked.runId, { outcome: { record }, isLate: true });
      // It may have been sent, and its row may be what was lost.
      else if (isStoreInDoubt) await this.#closeUnsure(asked);
      else await this.#put(withoutRun(asked));
    }
  }

  /** What waits for players goes on. To be called when Discord is there. */
  begin(): void {
    for (const asked of this.#byId.values())
      if (asked.approval !== undefined) this.#wait(asked, "server-empty");
  }

  async flushed(): Promise<void> {
    await Promise.all(this.#open);
  }

  async ask(actor: Actor, { binding, player, reason }: Parameters<AskedBans["ask"]>[1]): Promise<AskedBan> {
    const { clock, random } = this.#ports;
    const { guildId, userId: askerId, userName: askerName } = actor;
    const of = { guildId, bindingId: binding.id, serverName: binding.name };
    const by = { askerId, askerName, askedAtMs: clock.nowMs() };
    const asked: AskedBan = { id: random.id(), ...of, player, reason, ...by };
    await this.#checks.refuseTarget(asked);
    return await this.#changes.take(guildId, async () => {
      await this.#dropOld(guildId);
      const why = whyNoOther(this.list(guildId), asked);
      if (why !== undefined) throw new Failure("bad-command", why);
      await this.#put(asked);
      return asked;
    });
  }

  get(guildId: string, id: string): AskedBan | undefined {
    return this.list(guildId).find((asked) => asked.id === id);
  }

  list(guildId: string): readonly AskedBan[] {
    return [...this.#byId.values()]
      .filter((asked) => asked.guildId === guildId && !this.#isOld(asked))
      .toSorted((a, b) => a.askedAtMs - b.askedAtMs || (a.id < b.id ? -1 : 1));
  }

  async approverRoles(asked: Pick<AskedBan, "guildId" | "bindingId">): Promise<readonly string[]> {
    return rolesThatBan(await this.#checks.policyOf(asked));
  }

  async approve(actor: Actor, id: string): Promise<SubmittedRun> {
    return await this.#changes.take(id, async () => {
      const asked = this.#of(actor, id);
      if (asked.approval !== undefined)
        throw new Failure("expired", `It was approved already by ${asked.approval.byName}.`);
      if (asked.askerId === actor.userId)
        throw new Failure("denied", "Who asked for a ban can't approve it. Somebody else has to.");
      await this.#checks.refuseUnlessBans(actor, asked);
      const { userId: byId, userName: byName, channelId } = actor;
      const approval = { byId, byName, channelId, atMs: this.#ports.clock.nowMs() };
      const approved = { ...asked, approval };
      await this.#put(approved);
      return await this.#send(approved, false);
    });
  }

  async showWaiting({ guildId }: Actor, id: string, messageId?: string): Promise<AskedBan | undefined> {
    return await this.#changes.take(id, async () => {
      const asked = this.get(guildId, id);
      if (asked?.approval === undefined || messageId === undefined) return asked;
      const shown = { ...asked, approval: { ...asked.approval, messageId } };
      await this.#put(shown);
      return shown;
    });
  }

  async refuse(actor: Actor, id: string): Promise<AskedBan> {
    return await this.#changes.take(id, async () => {
      const asked = this.#of(actor, id);
      if (asked.runId !== undefined) throw new Failure("expired", "Too late: it is being sent.");
      if (asked.askerId !== actor.userId) await this.#checks.refuseUnlessBans(actor, asked);
      await this.#ends.showRefused(asked, actor.userId);
      await this.#delete(asked);
      return asked;
    });
  }

  /** Somebody is in the server: what waits for that is sent. Takes no time. */
  take({ source, status }: Snapshot): void {
    if (status.currentPlayers === 0 || this.#byId.size === 0) return;
    this.#track(this.#sendWaiting(source));
  }

  async onUnlinked(bindingId: string): Promise<void> {
    for (const asked of [...this.#byId.values()])
      if (asked.bindingId === bindingId)
        await this.#closeUnsent(asked.id, `${asked.serverName} was unlinked.`);
  }

  async #sendWaiting(source: SourceId): Promise<void> {
    const servers = new Set((await this.#ports.bindings.bySource(source)).map(({ id }) => id));
    for (const { id, bindingId } of [...this.#byId.values()])
      if (servers.has(bindingId) && !this.#waits.isResting(id)) await this.#sendAgain(id);
  }

  async #sendAgain(id: string): Promise<void> {
    await this.#changes.take(id, async () => {
      const asked = this.#byId.get(id);
      if (asked?.approval === undefined || asked.runId !== undefined) return;
      await this.#send(asked, true).catch((error: unknown) => {
        if (!(error instanceof Failure)) this.#ports.report("an approved ban could not be sent", error);
      });
    });
  }

  /** Claimed before it is sent. `isLate`: nobody waits for what comes of it. */
  async #send(asked: AskedBan, isLate: boolean): Promise<SubmittedRun> {
    const { members, runner, clock, random } = this.#ports;
    const { guildId, approval, askerId: askedBy, player: only } = asked;
    const binding = await this.#checks.bindingOf(asked);
    if (approval === undefined) throw new Failure("denied", "Nobody has approved it.");
    const runId = random.id();
    try {
      await this.#put({ ...asked, runId });
      const askedAtMs = clock.nowMs();
      const { byId: userId, byName: userName, channelId } = approval;
      const now = await members.now(guildId, userId);
      const actor: Actor = { userId, userName, guildId, channelId, ...now, askedAtMs };
      const request = { actor, binding, text: askedText(asked), runId, only, askedBy };
      const plan = await runner.plan({ ...request, origin: "asked-ban" });
      const submitted = await runner.submit(plan);
      this.#track(submitted.outcome.then((outcome) => this.#settle(asked, runId, { outcome, isLate })));
      return submitted;
    } catch (error) {
      const code = error instanceof Failure ? error.code : "paused";
      if (isTriedAgain({ ran: "no", failureCode: code })) await this.#takeBack(asked, code);
      else await this.#close(asked, error instanceof Failure ? error.message : "", { isTold: isLate });
      throw error;
    }
  }

  async #settle(
    asked: AskedBan,
    runId: string,
    { outcome, isLate }: { readonly outcome: RunOutcome; readonly isLate: boolean },
  ): Promise<void> {
    const { record } = outcome;
    const now = this.#byId.get(asked.id);
    if (now?.runId !== runId || !isOver(record.status)) return;
    if (isTriedAgain(record) && !this.#isOld(now)) return await this.#takeBack(now, record.failureCode);
    if (isLate) {
      await this.#ports.late.post(outcome, true);
      await this.#ends.showEnded(now, record);
    }
    await this.#delete(now);
  }

  /** It did not run. Where the store refuses that, the next start finds it out by its row in the audit, or that there is none. */
  async #takeBack(claimed: AskedBan, failureCode: RunRecord["failureCode"]): Promise<void> {
    const asked = withoutRun(claimed);
    this.#byId.set(asked.id, asked);
    this.#wait(asked, failureCode);
    await this.#ports.documents.set(keyOf(asked), asked);
  }

  /** Until somebody joins; for what passes by itself, a minute. In a day it is given up. */
  #wait(asked: AskedBan, failureCode: RunRecord["failureCode"]): void {
    this.#track(this.#demand(asked.guildId));
    this.#waits.begin(asked, { isForPlayers: failureCode === "server-empty" });
  }

  /** Unless it is being claimed, or sent: then its run says what came of it. */
  async #closeUnsent(id: string, why: string): Promise<void> {
    await this.#changes.take(id, async () => {
      const asked = this.#byId.get(id);
      if (asked !== undefined && asked.runId === undefined) await this.#close(asked, why);
    });
  }

  /** It is not sent any more, which is told where it had been approved. */
  async #close(asked: AskedBan, why: string, { isTold = true } = {}): Promise<void> {
    await this.#ends.showEnded(asked, why);
    await this.#delete(asked);
    if (!isTold || asked.approval === undefined) return;
    await this.#ends.tellUnsent(asked, why, { mayAskAgain: await this.#checks.mayAskAgain(asked) });
  }

  /** It may have been answered or sent, and no record says so. Nobody waits any more for one that was too old to be answered. */
  async #closeUnsure(asked: AskedBan): Promise<void> {
    await this.#delete(asked);
    await this.#ends.showEnded(asked, { unsure: whyUnsure(asked) });
    const { notifier, renderer } = this.#ports;
    const { guildId, approval, askerId } = asked;
    if (approval !== undefined || !this.#isOld(asked))
      await notifier.guild(
        guildId,
        renderer.askedBanUnsure(asked, whyUnsure(asked)),
        approval?.byId ?? askerId,
      );
  }

  #of({ guildId }: Actor, id: string): AskedBan {
    const asked = this.get(guildId, id);
    if (asked === undefined) throw new Failure("expired", "This was answered already, or is too old.");
    return asked;
  }

  /** Has the servers read for whose players an approved ban waits. */
  async #demand(guildId: string): Promise<void> {
    for (const { id, source } of await this.#ports.bindings.list(guildId)) {
      const isWanted = this.list(guildId).some((one) => one.bindingId === id && one.approval !== undefined);
      const demands = isWanted ? [{ source, lists: ["players"] as const, guildId }] : [];
      this.#ports.demands.put(`runs-asked-bans:${id}`, demands);
    }
  }

  #isOld(asked: AskedBan): boolean {
    return isOld(asked, this.#ports.clock.nowMs());
  }

  async #dropOld(guildId: string): Promise<void> {
    for (const asked of [...this.#byId.values()])
      if (asked.guildId === guildId && asked.approval === undefined && this.#isOld(asked))
        await this.#delete(asked);
  }

  async #put(asked: AskedBan): Promise<void> {
    await this.#ports.documents.set(keyOf(asked), asked);
    this.#byId.set(asked.id, asked);
  }

  /** Where the store refuses, its row in the audit says at the next start what became of it. */
  async #delete(asked: AskedBan): Promise<void> {
    this.#byId.delete(asked.id);
    this.#waits.forget(asked.id);
    await this.#ports.documents.delete(keyOf(asked));
    if (asked.approval !== undefined) await this.#demand(asked.guildId);
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.#ports.report("an asked ban could not be looked after", error))
      .finally(() => this.#open.delete(tracked));
    this.#open.add(tracked);
  }
}

function keyOf({ guildId, id }: AskedBan): string {
  return `${guildId}:${id}`;
}
