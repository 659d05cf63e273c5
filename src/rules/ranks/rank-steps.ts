import { Failure, type Ran } from "../../domain/failure.ts";
import type { Actor, Binding } from "../../domain/guild.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Random } from "../../domain/ports/clock.ts";
import type { Permissions } from "../../domain/ports/permissions.ts";
import type { Runner } from "../../domain/ports/runner.ts";
import { type Raised, type RankEvent, rankCommand } from "../../domain/rank.ts";
import { type ManagerNowPorts, managerNow } from "../manager-now.ts";
import { type RankBook, withRecord } from "./rank-book.ts";
import { RankGuard, type RankGuardPorts, type SentRank } from "./rank-guard.ts";
import { ofLastDay } from "./rank-limits.ts";
import { pauseRanks, type RankPausePorts } from "./rank-pause.ts";
import type { ServerRanks } from "./rank-records.ts";
import type { StepTimes } from "./step-times.ts";

export interface RankStepsPorts extends RankGuardPorts, RankPausePorts, ManagerNowPorts {
  readonly book: RankBook;
  readonly bindings: Pick<Bindings, "list">;
  readonly permissions: Pick<Permissions, "decide">;
  readonly runner: Pick<Runner, "plan" | "submit">;
  readonly times: StepTimes;
  readonly random: Random;
}

export type WantedStep = Omit<SentRank, "runId">;

/** In whose name it is sent, and where. */
interface Sender {
  readonly person: Actor;
  readonly binding: Binding;
}

interface StepEnd {
  readonly ran: Ran;
  readonly why?: string | undefined;
}

/** Gives or takes one rank: stored before it is sent, in the name of a Manager, through the audit and the queue. */
export class RankSteps {
  readonly #ports: RankStepsPorts;

  constructor(ports: RankStepsPorts) {
    this.#ports = ports;
  }

  /** False: it was not sent, and nothing is changed. Rejects when the store does. */
  async take(wanted: WantedStep): Promise<boolean> {
    const { book, times, random, clock, sightingsOf } = this.#ports;
    const { server, source, player } = wanted;
    const sender = await this.#senderNow(wanted);
    if (sender === undefined) return false;

    const runId = random.id();
    const sent = { ...wanted, runId };
    await book.change(server, (kept) => this.#claimed(kept, sent));
    const onStep = () => sightingsOf(source).onOwnStep(player.id, clock.monotonicMs());
    onStep();
    const end = await this.#send(sender, sent).catch((error: unknown): StepEnd => {
      if (error instanceof Failure) return { ran: "no", why: error.message };
      throw error;
    });
    onStep();
    if (end.ran !== "no") times.onEnded(server, player.id);
    await book.change(server, (kept) => this.#ended(kept, sent, end));
    return end.ran !== "no";
  }

  /** Before anything is sent: after a kill the next process knows of whom Marshal may have raised. */
  #claimed(kept: ServerRanks, { step, player, runId }: SentRank): ServerRanks {
    const nowMs = this.#ports.clock.nowMs();
    // Also what was confirmed since it was judged.
    const isConfirmed = kept.raised.find(({ playerId }) => playerId === player.id)?.isConfirmed === true;
    const record: Raised = {
      playerId: player.id,
      name: player.name,
      rank: step.rank,
      state: step.kind === "raise" ? "raising" : "taking",
      runId,
      ...(isConfirmed && { isConfirmed }),
    };
    const raised = withRecord(kept.raised, player.id, record);
    if (step.kind === "raise") return { ...kept, raised };
    const isCounted = !isConfirmed && !step.isRise;
    const taken = { runId, playerId: player.id, rank: step.rank, atMs: nowMs, isCounted };
    return { ...kept, raised, taken: [...ofLastDay(kept.taken, nowMs), taken] };
  }

  #ended(kept: ServerRanks, { step, player, runId, before }: SentRank, { ran, why }: StepEnd): ServerRanks {
    const record = kept.raised.find(({ playerId }) => playerId === player.id);
    if (record?.runId !== runId || ran === "unknown") return kept;
    const what = ran === "no" ? "dropped" : step.kind === "raise" ? "raised" : "taken";
    const event: RankEvent = {
      atMs: this.#ports.clock.nowMs(),
      player,
      rank: step.rank,
      what,
      ...(why !== undefined && { why }),
    };
    const events = withEvent(kept.events, event);
    if (ran === "no") {
      // A pause has taken back what was confirmed, and a press may have confirmed it meanwhile.
      const { isConfirmed: _, ...earlier } = before ?? {};
      const again = before && {
        ...(earlier as Raised),
        ...(record.isConfirmed && { isConfirmed: true as const }),
      };
      const taken = kept.taken.filter((one) => one.runId !== runId);
      return { ...kept, events, taken, raised: withRecord(kept.raised, player.id, again) };
    }
    // What was confirmed ends when the list of staff shows it (`settled`): a press may have confirmed the taking back meanwhile.
    const after: Raised = {
      ...record,
      isSure: true,
      ...(step.kind === "raise" && { state: "raised" as const }),
    };
    return { ...kept, events, raised: withRecord(kept.raised, player.id, after) };
  }

  async #send({ person, binding }: Sender, sent: SentRank): Promise<StepEnd> {
    const { runner, clock } = this.#ports;
    const { step, player, runId } = sent;
    const plan = await runner.plan({
      actor: { ...person, askedAtMs: clock.nowMs() },
      binding,
      text: rankCommand(step.kind, step.rank, player.id),
      origin: "rank",
      runId,
      only: player,
      guard: new RankGuard(this.#ports, sent),
    });
    if (!plan.decision.allowed) return { ran: "no", why: plan.decision.why };
    const { outcome } = await runner.submit(plan);
    const { record } = await outcome;
    return { ran: record.ran, ...(record.ran === "no" && { why: record.message }) };
  }

  /** The Manager who confirmed it, as of now. Undefined: they may not any more, which pauses it, or there is no server. */
  async #senderNow(wanted: WantedStep): Promise<Sender | undefined> {
    const { book, bindings, permissions, clock } = this.#ports;
    const { server, step } = wanted;
    const { guildId, bindingId } = server;
    const binding = (await bindings.list(guildId)).find(({ id }) => id === bindingId);
    const keeper = book.of(server)?.keeper;
    if (binding === undefined || keeper === undefined) return undefined;
    const manager = await managerNow(this.#ports, guildId, keeper);
    if (manager === undefined) {
      await pauseRanks(this.#ports, server, "The Manager who confirmed them is no longer one.");
      return undefined;
    }
    const person = { ...manager, guildId, channelId: keeper.channelId, askedAtMs: clock.nowMs() };
    const [verb = ""] = rankCommand(step.kind, step.rank, 0).split(" ");
    const decision = await permissions.decide(person, binding, verb);
    if (decision.allowed) return { person, binding };
    await pauseRanks(this.#ports, server, decision.why);
    return undefined;
  }
}

/** The same drop again and again is one. */
function withEvent(events: readonly RankEvent[], event: RankEvent): readonly RankEvent[] {
  const isAgain = (one: RankEvent) =>
    one.what === "dropped" && event.what === "dropped" && one.player.id === event.player.id;
  return [...events.filter((one) => !isAgain(one)), event];
}
