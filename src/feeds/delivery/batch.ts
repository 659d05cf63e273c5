import { Buffer } from "node:buffer";
import type { Feed } from "../../domain/guild.ts";
import type { JournalItem } from "../../domain/ports/journal.ts";
import type { FrozenBatch } from "../positions/offsets.ts";
import { chosen, type GapInPlace, type OwedContext, toldGap } from "./owed.ts";

/** A batch before it has a nonce. */
export type DraftBatch = Omit<FrozenBatch, "nonce">;

/** Where a feed may go next from what stands first in its journal. Pure; delivery writes and sends it. */
export type BatchPlan =
  /** Nothing of it is for this feed, or all of it stands in the channel already (`met`). */
  | { readonly kind: "skip"; readonly throughSeq: number; readonly met: readonly string[] }
  /** `full`: more would not fit, so there is no point in waiting for more. */
  | { readonly kind: "post"; readonly batch: DraftBatch; readonly full: boolean };

export interface BatchContext extends OwedContext {
  readonly serverName: string | undefined;
  readonly nowMs: number;
  /** Entries up to this second may stand in the channel, which cannot be read: they are posted with a mark. */
  readonly markUpToS: number | undefined;
  /** Entries up to this second may stand in a file in the channel, of which only the name is read. */
  readonly inFileUpToS: number | undefined;
}

/** One message's worth of the items of a log feed, which must not be empty. A gap is a message of its own. */
export function planBatch(feed: Feed, items: readonly JournalItem[], context: BatchContext): BatchPlan {
  const [first] = items;
  if (first === undefined) throw new RangeError("a batch needs items");
  if (first.kind === "gap") return planGap(feed, { gap: first, next: items[1] }, context);

  const { shown, left, endSeq, stopped } = chosen(feed, items, context);
  const metBelow = (seq: number) => left.filter((one) => one.seq < seq).map(({ key }) => key);
  if (shown.length === 0) return { kind: "skip", throughSeq: endSeq, met: metBelow(endSeq) };

  const { serverName, renderer } = context;
  const stayedS = new Map(
    shown.flatMap((item, index) =>
      item.kind === "entry" && item.stayedS !== undefined ? [[index, item.stayedS]] : [],
    ),
  );
  const streaks = new Map(
    shown.flatMap((item, index) =>
      item.kind === "entry" && item.streak !== undefined ? [[index, item.streak]] : [],
    ),
  );
  const entries = shown.map(({ entry }) => entry);
  const { body, taken } = renderer.lines(feed, entries, {
    stayedS,
    streaks,
    ...(serverName === undefined ? {} : { serverName }),
  });

  const all = taken >= shown.length;
  // Up to the first entry that did not fit: what was left out in between is dealt with as well.
  const throughSeq = all ? endSeq : (shown[taken]?.seq ?? endSeq);
  const oldestS = Math.min(...entries.slice(0, taken).map((entry) => entry.atS));
  return {
    kind: "post",
    full: !all || stopped,
    batch: {
      throughSeq,
      entries: Math.min(taken, shown.length),
      body: markedEntries(body, oldestS, context),
      atMs: context.nowMs,
      oldestS,
      form: "lines",
      met: metBelow(throughSeq),
    },
  };
}

/** Discord takes files of 10 MB. */
const LARGEST_FILE_BYTES = 8_000_000;

/**
 * Everything of a backlog in one message with a file, or as much from its beginning as a file may hold. The items must
 * hold no gap: that is a notice of its own.
 */
export function planDigest(
  feed: Feed,
  items: readonly JournalItem[],
  { why, ...context }: BatchContext & { readonly why: "backlog" | "refused" },
): BatchPlan {
  const all = chosen(feed, items, context);
  const metBelow = (seq: number) => all.left.filter((one) => one.seq < seq).map(({ key }) => key);
  if (all.shown.length === 0) return { kind: "skip", throughSeq: all.endSeq, met: metBelow(all.endSeq) };

  let count = all.shown.length;
  const { renderer, serverName } = context;
  const entriesOf = () => all.shown.slice(0, count).map(({ entry }) => entry);
  const bodyOf = () => renderer.ofServer(renderer.digest(feed, entriesOf(), why), serverName);
  let body = bodyOf();
  for (; fileBytes(body) > LARGEST_FILE_BYTES && count > 1; body = bodyOf()) count = Math.ceil(count / 2);

  const throughSeq = all.shown[count]?.seq ?? all.endSeq;
  const oldestS = all.shown
    .slice(0, count)
    .reduce((a, { entry }) => Math.min(a, entry.atS), Number.POSITIVE_INFINITY);
  const batch: DraftBatch = {
    throughSeq,
    entries: count,
    body: markedEntries(body, oldestS, context),
    atMs: context.nowMs,
    oldestS,
    form: "digest",
    met: metBelow(throughSeq),
  };
  return { kind: "post", full: true, batch };
}

function fileBytes({ files = [] }: FrozenBatch["body"]): number {
  return files.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
}

function planGap(feed: Feed, place: GapInPlace, context: BatchContext): BatchPlan {
  const { renderer, nowMs, serverName } = context;
  const { gap } = place;
  const throughSeq = gap.seq + 1;
  const met = toldGap(feed, place, context);
  if (met.length > 0) return { kind: "skip", throughSeq, met };
  const said = renderer.ofServer(renderer.gap(feed.kind, gap), serverName);
  const body = marked(said, gap.toS, context);
  const batch: DraftBatch = { throughSeq, entries: 0, body, atMs: nowMs, isGap: true, form: "notice" };
  return { kind: "post", full: true, batch };
}

function markedEntries(body: FrozenBatch["body"], oldestS: number, context: BatchContext) {
  const { inFileUpToS, renderer } = context;
  const whole = marked(body, oldestS, context);
  const isInFile = whole === body && inFileUpToS !== undefined && oldestS <= inFileUpToS;
  return isInFile ? renderer.possiblyRepeated(body, "in-file") : whole;
}

function marked(body: FrozenBatch["body"], oldestS: number, { markUpToS, renderer }: BatchContext) {
  return markUpToS !== undefined && oldestS <= markUpToS ? renderer.possiblyRepeated(body) : body;
}
