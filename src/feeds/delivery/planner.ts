import type { JournalList } from "../../domain/changes.ts";
import type { SinkRefusal } from "../../domain/failure.ts";
import { feedKind } from "../../domain/feed-kinds.ts";
import type { Feed } from "../../domain/guild.ts";
import { serverOf } from "../../domain/journal-id.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import type { Journal, JournalItem } from "../../domain/ports/journal.ts";
import type { Snapshots } from "../../domain/ports/snapshots.ts";
import type { FrozenBatch, OffsetRecord } from "../positions/offsets.ts";
import type { Arrivals } from "./arrivals.ts";
import { type BatchContext, type BatchPlan, type DraftBatch, planBatch, planDigest } from "./batch.ts";
import { teamsOf } from "./filter.ts";
import { LATE_AFTER_MS, type Outlook } from "./next-step.ts";
import { firstOwed, type LineItem, pendingEntries } from "./owed.ts";

/** More items than a message holds, so that what is filtered out seldom costs a second reading. */
const READ_AHEAD = 150;
/** Past this many undelivered entries a feed gets a digest with the whole list attached. */
const DIGEST_FROM = 2_000;
/** A line is about 70 bytes. What is above, or makes the file too large for Discord, follows as another digest. */
const DIGEST_AT_MOST = 20_000;
const READ_CHUNK = 1_000;

export interface PlannerPorts {
  readonly journal: Pick<Journal, "read" | "head">;
  readonly snapshots: Pick<Snapshots, "latest">;
  readonly renderer: FeedRenderer;
  readonly clock: Clock;
  /** The name to show where a guild has several servers. */
  serverName(feed: Feed): Promise<string | undefined>;
}

export interface PendingEntries {
  readonly entries: readonly LineItem[];
  /** The first gap among them whose notice is still to come. */
  readonly gapSeq: number | undefined;
}

/** What stands first in the journal, and the first of it that the channel lacks. */
export interface Looked {
  readonly items: readonly JournalItem[];
  readonly owed: Outlook["owed"];
}

/** Reads a feed's journal and makes batches of it; writes and sends nothing. Rejects when the store fails. */
export class Planner {
  readonly #feed: Feed;
  readonly #ports: PlannerPorts;
  /** Entries up to this second may stand in the channel, which cannot be read. */
  markUpToS: number | undefined;

  constructor(feed: Feed, ports: PlannerPorts) {
    this.#feed = feed;
    this.#ports = ports;
  }

  /** What stands first in the journal and is not dealt with. */
  async first(record: OffsetRecord, limit = READ_AHEAD): Promise<readonly JournalItem[]> {
    const { source, list, nextSeq } = record;
    return list === undefined ? [] : await this.#ports.journal.read({ source, list }, nextSeq, limit);
  }

  /** What stands first in the journal. Whether the channel lacks it is asked only where it could make the feed late. */
  async look(record: OffsetRecord, arrivals: Pick<Arrivals, "ageMs">): Promise<Looked> {
    const items = await this.first(record);
    const [first] = items;
    const nowMs = this.#ports.clock.monotonicMs();
    const withAge = (item: JournalItem | undefined) =>
      item && { seenAtMs: item.seenAtMs, ageMs: arrivals.ageMs(item.seq, item.seenAtMs, nowMs) };

    const oldest = withAge(first);
    const mayBeLate = oldest !== undefined && oldest.ageMs >= LATE_AFTER_MS;
    // Calls stand in cards, which are not looked for by their lines.
    if (!mayBeLate || feedKind(this.#feed.kind).onCards === true) return { items, owed: oldest };
    return { items, owed: withAge(firstOwed(this.#feed, items, await this.#context(record))) };
  }

  /** All entries that wait for this feed and do not stand in its channel yet, those behind a gap included. */
  async pending(record: OffsetRecord): Promise<PendingEntries> {
    const { source, list } = record;
    if (list === undefined) return { entries: [], gapSeq: undefined };
    const items = await this.#readUntil(record, list, this.#ports.journal.head(source, list));
    const entries = items.filter(({ kind }) => kind !== "gap");
    return {
      entries: pendingEntries(this.#feed, entries, await this.#context(record)),
      gapSeq: items.find(({ kind }) => kind === "gap")?.seq,
    };
  }

  /** The next message, or what needs none. */
  async plan(record: OffsetRecord, items: readonly JournalItem[]): Promise<BatchPlan> {
    return (
      (await this.#digest(record, items[0])) ?? planBatch(this.#feed, items, await this.#context(record))
    );
  }

  /** The notice that the feed runs late; nothing where it stands in the channel already. */
  async late({ nextSeq, standing }: OffsetRecord, sinceMs: number): Promise<BatchPlan> {
    const { renderer, clock, serverName } = this.#ports;
    const { kind } = this.#feed;
    const key = renderer.lateKey(kind);
    if (standing?.includes(key) === true) return { kind: "skip", throughSeq: nextSeq, met: [key] };
    const body = renderer.ofServer(renderer.late(kind, sinceMs), await serverName(this.#feed));
    const batch: DraftBatch = { throughSeq: nextSeq, entries: 0, body, atMs: clock.nowMs(), form: "notice" };
    return { kind: "post", full: true, batch };
  }

  /** Discord refused the form of a batch: the same entries as a file; where that was refused too, a bare notice. */
  async reshaped(record: OffsetRecord, batch: FrozenBatch): Promise<DraftBatch> {
    const { list } = record;
    const items = list === undefined ? [] : await this.#readUntil(record, list, batch.throughSeq);
    const context = await this.#context(record);
    if (batch.form === "lines") {
      const plan = planDigest(this.#feed, items, { ...context, why: "refused" });
      if (plan.kind === "post") {
        const isWhole = plan.batch.entries >= batch.entries;
        return { ...plan.batch, throughSeq: isWhole ? batch.throughSeq : plan.batch.throughSeq };
      }
    }
    const times = pendingEntries(this.#feed, items, context).map(({ entry }) => entry.atS);
    const fromS = times.reduce((a, b) => Math.min(a, b), Math.floor(batch.atMs / 1_000));
    const toS = times.reduce((a, b) => Math.max(a, b), fromS);
    const { renderer, serverName } = context;
    const said = renderer.unpostable(this.#feed.kind, { count: batch.entries, fromS, toS });
    const body = renderer.ofServer(said, serverName);
    const { nonce: _, ...rest } = batch;
    return { ...rest, body, form: "notice", atMs: context.nowMs };
  }

  /** A plan for a backlog past the limit, up to the next gap; undefined when lines will do. */
  async #digest(record: OffsetRecord, first: JournalItem | undefined): Promise<BatchPlan | undefined> {
    const { source, list, nextSeq } = record;
    if (list === undefined || first === undefined || first.kind === "gap") return undefined;
    const head = this.#ports.journal.head(source, list);
    if (head - nextSeq <= DIGEST_FROM) return undefined;
    const items = await this.#readUntil(record, list, Math.min(head, first.seq + DIGEST_AT_MOST));
    const gapAt = items.findIndex((item) => item.kind === "gap");
    const whole = gapAt < 0 ? items : items.slice(0, gapAt);
    // A short stretch before a gap reads better as lines; it is the stretch after it that is long.
    if (whole.length < READ_AHEAD) return undefined;
    return planDigest(this.#feed, whole, { ...(await this.#context(record)), why: "backlog" });
  }

  async #readUntil(record: OffsetRecord, list: JournalList, endSeq: number): Promise<JournalItem[]> {
    const { source, nextSeq } = record;
    const items: JournalItem[] = [];
    for (let from = nextSeq; from < endSeq; ) {
      const limit = Math.min(READ_CHUNK, endSeq - from);
      const chunk = await this.#ports.journal.read({ source, list }, from, limit);
      const last = chunk.at(-1);
      if (last === undefined) break;
      items.push(...chunk);
      from = last.seq + 1;
    }
    return items.filter((item) => item.seq < endSeq);
  }

  async #context(record: OffsetRecord): Promise<BatchContext> {
    const { clock, snapshots, renderer } = this.#ports;
    const nowMs = clock.nowMs();
    return {
      nowMs,
      renderer,
      teamOf: teamsOf(snapshots.latest(serverOf(record.source)), nowMs),
      serverName: await this.#ports.serverName(this.#feed),
      standing: record.standing ?? [],
      markUpToS: this.markUpToS,
      inFileUpToS: record.inFileUpToS,
    };
  }
}

/** Would another form of the same entries be taken? A file may be too large, which Discord tells in several ways. */
export function mayFitOtherwise(refusal: SinkRefusal, batch: FrozenBatch): boolean {
  if (batch.form === "notice") return false;
  return refusal.reason === "form" || (refusal.reason === "rejected" && batch.form === "digest");
}
