import { type BanEnd, endOf } from "../../domain/ban-end.ts";
import { Failure } from "../../domain/failure.ts";
import type { SourceId } from "../../domain/model.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Snapshots } from "../../domain/ports/snapshots.ts";
import type { RunRecord, RunRequest } from "../../domain/run.ts";
import type { ServiceTime } from "../../domain/service-time.ts";
import { parseCommand } from "../catalogue/parse-command.ts";
import type { KeptBanEnds } from "./kept-ban-ends.ts";
import { names } from "./later-bans.ts";

/** Ends of bans of one community. */
const MOST_OF_GUILD = 1_000;
/** A command that an earlier process sent had run by then, or never: what the gate may hold it, and its answer. */
const LONGEST_SENDING_MS = 2 * 60_000;

export interface BanWatchPorts {
  readonly kept: KeptBanEnds;
  readonly bindings: Pick<Bindings, "bySource">;
  readonly snapshots: Pick<Snapshots, "latest">;
  readonly serviceTime: Pick<ServiceTime, "ms">;
  readonly clock: Clock;
}

/** What the queue asks right before a command is sent. */
export class BanWatch {
  readonly #ports: BanWatchPorts;
  /** When the sending of a ban began that is to end, by the monotonic clock. */
  readonly #begunMs = new Map<string, number>();

  constructor(ports: BanWatchPorts) {
    this.#ports = ports;
  }

  /**
   * Called before the row "sending" of each run. Stores the end of this ban, and in the ends of earlier bans of the same
   * player that this one is being sent: whatever happens from here on, none of them is lifted over it. Returns when the
   * ban ends, epoch milliseconds. Rejects where that cannot be stored: then nothing is sent. Of a run that is over, which
   * may be cancelled meanwhile, nothing is stored: nobody would hear of its end any more.
   */
  async beforeSending(
    { term, only }: RunRequest,
    record: RunRecord,
    isOver: () => boolean,
  ): Promise<number | undefined> {
    if (record.verb !== "ban") return undefined;
    const { kept, clock, serviceTime } = this.#ports;
    const sentAtMs = serviceTime.ms() ?? clock.nowMs();
    for (const { id: endId } of await this.#endsOnceLifted(record)) {
      if (isOver()) return undefined;
      // While the one before was written, this one may have been taken back.
      const end = kept.get(endId);
      if (end !== undefined && end.state !== "over") await kept.put({ ...end, laterId: record.id });
    }
    if (term === undefined || only === undefined || isOver()) return undefined;
    if (kept.get(record.id) === undefined && kept.of(record.guildId).length >= MOST_OF_GUILD) {
      throw new Failure(
        "bad-command",
        `${MOST_OF_GUILD.toLocaleString("en")} bans of this community end by themselves already, the maximum.`,
      );
    }
    this.#begunMs.set(record.id, clock.monotonicMs());
    const endsAtMs = endOf(term, sentAtMs);
    if (endsAtMs <= sentAtMs) throw new Failure("bad-command", "Its end has passed already.");
    const { id, guildId, bindingId, serverName, channelId, text, actorId, actorName } = record;
    await kept.put({
      id,
      guildId,
      bindingId,
      serverName,
      playerId: only.id,
      playerName: only.name,
      byId: actorId,
      byName: actorName,
      channelId,
      text,
      sentAtMs,
      endsAtMs,
      ...("lastsMs" in term ? { lastsMs: term.lastsMs } : {}),
      state: "sending",
      tries: 0,
    });
    return endsAtMs;
  }

  /** Its ban is over: how long after `beforeSending` it ran at the latest, milliseconds. */
  ranWithinMs(id: string): number {
    const begunMs = this.#begunMs.get(id);
    this.#begunMs.delete(id);
    return begunMs === undefined ? LONGEST_SENDING_MS : this.#ports.clock.monotonicMs() - begunMs;
  }

  /** Whether an un-ban is still wanted. Asked right before its first byte. */
  isWanted({ bindingId, id }: Pick<RunRecord, "bindingId" | "id">): boolean {
    return this.#ports.kept.ofServer(bindingId).some(({ state, liftId, laterId }) => {
      return state === "lifting" && liftId === id && laterId === undefined;
    });
  }

  /** Ends of other bans that name somebody whom this one may hit, of all communities with that server. */
  async #endsOnceLifted({ id, source, text }: RunRecord): Promise<readonly BanEnd[]> {
    const command = parseCommand(text);
    const present = this.#ports.snapshots.latest(source)?.lists.players?.value ?? [];
    const players = present.map(({ player }) => player);
    const ends = await endsOn(this.#ports, source);
    return ends.filter((end) => {
      // Whether an earlier one ran stays a question for people, whatever becomes of this one.
      const isOpen = end.state !== "over" && end.heldFor !== "later-unknown";
      return end.id !== id && isOpen && names(end, { command, by: undefined }, players);
    });
  }
}

/** The ends of all linked servers that are this one. */
export async function endsOn(
  { kept, bindings }: Pick<BanWatchPorts, "kept" | "bindings">,
  source: SourceId,
): Promise<readonly BanEnd[]> {
  if (kept.size === 0) return [];
  return (await bindings.bySource(source)).flatMap(({ id }) => kept.ofServer(id));
}
