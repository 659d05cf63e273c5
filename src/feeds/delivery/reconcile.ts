import type { PostedMessage } from "../../domain/message.ts";
import type { FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import type { FrozenBatch, OffsetRecord } from "../positions/offsets.ts";
import { KeyMultiset } from "./key-multiset.ts";
import type { LineItem } from "./owed.ts";
import type { PendingEntries } from "./planner.ts";
import { asPosted, sameMessage } from "./read-back.ts";

type KeysOf = (posted: Parameters<FeedRenderer["keysOf"]>[0]) => ReturnType<FeedRenderer["keysOf"]>;

/**
 * What a feed's record becomes once its channel was read. `posted`: our messages after the record's last one. A frozen
 * batch that stands there is delivered; one that stands there in part is made anew, without those entries; one that
 * does not stand there goes out as it is. What else stands there is left out when its entries come. Pure.
 */
export function reconcile(
  record: OffsetRecord,
  posted: readonly PostedMessage[],
  keysOf: KeysOf,
): OffsetRecord {
  const { frozen, standing: known, ...rest } = record;
  const standing = new KeyMultiset(known);
  for (const message of posted) {
    standing.add(allKeys(keysOf(message)));
  }
  const lastMessageId = posted.at(-1)?.messageId ?? record.lastMessageId;
  const last = lastMessageId === undefined ? {} : { lastMessageId };
  const left = () => withStanding(standing);
  if (frozen === undefined) return { ...rest, ...last, ...left() };

  switch (presence(frozen, { posted, standing }, keysOf)) {
    case "all":
      standing.takeAll(frozen.met ?? []);
      return { ...rest, nextSeq: frozen.throughSeq, ...last, ...left() };
    case "some":
      return { ...rest, ...last, ...left() };
    case "none":
      return { ...rest, frozen, ...last, ...left() };
  }
}

/** The record after a frozen batch was delivered under that id. Pure. */
export function delivered(record: OffsetRecord, frozen: FrozenBatch, messageId: string): OffsetRecord {
  const { frozen: _, standing: known, ...rest } = record;
  const standing = new KeyMultiset(known);
  standing.takeAll(frozen.met ?? []);
  return { ...rest, nextSeq: frozen.throughSeq, lastMessageId: messageId, ...withStanding(standing) };
}

/** The record after entries were dealt with that stand in the channel already, or are not for this feed. Pure. */
export function skipped(record: OffsetRecord, nextSeq: number, met: readonly string[]): OffsetRecord {
  const { standing: known, ...rest } = record;
  const standing = new KeyMultiset(known);
  standing.takeAll(met);
  return { ...rest, nextSeq, ...withStanding(standing) };
}

/** The record after what stood in the channel has had time enough to come again. Pure. */
export function withoutStanding(record: OffsetRecord): OffsetRecord {
  const { standing: _, inFileUpToS: __, ...rest } = record;
  return rest;
}

/**
 * Discord answered `sent` with a message that may be an older one, as it does where a nonce was used before. How much
 * of the batch stands there, and which of its keys where it is not the very message.
 */
export function answeredWith(
  sent: FrozenBatch,
  answer: PostedMessage,
  keysOf: KeysOf,
): { readonly stands: "all" | "some" | "none"; readonly keys: readonly string[] } {
  // Mostly it is the very message; reading both line by line would be a tenth of what a post costs.
  if (sameMessage(sent.body, answer)) return { stands: "all", keys: [] };
  const there = allKeys(keysOf(answer));
  const wanted = allKeys(keysOf(asPosted(sent.body)));
  const lacking = new KeyMultiset(new KeyMultiset(there).takeAll(wanted));
  return {
    stands: presence(sent, { posted: [answer], standing: new KeyMultiset(there) }, keysOf),
    keys: wanted.filter((key) => lacking.take([key]) === undefined),
  };
}

/**
 * The record after a digest was found in the channel that holds these of the waiting entries: those that stand first are
 * dealt with, the others are left out when their turn comes. `gapSeq`: a notice that has not been posted yet. Pure.
 */
export function withoutHeld(
  record: OffsetRecord,
  held: readonly LineItem[],
  { entries, gapSeq }: PendingEntries,
  entryKeys: FeedRenderer["entryKeys"],
): OffsetRecord {
  const heldSeqs = new Set(held.map(({ seq }) => seq));
  const first = entries.findIndex(({ seq }) => !heldSeqs.has(seq) || seq > (gapSeq ?? seq));
  const done = first < 0 ? entries : entries.slice(0, first);
  const doneThrough = done.at(-1)?.seq ?? record.nextSeq - 1;
  const standing = new KeyMultiset(record.standing);
  standing.add(
    held.filter(({ seq }) => seq > doneThrough).flatMap(({ entry }) => entryKeys(entry).slice(0, 1)),
  );
  const { standing: _, ...rest } = record;
  return { ...rest, nextSeq: doneThrough + 1, ...withStanding(standing) };
}

/** How much of a batch stands among these; what does is taken out of `standing`, unless it is only a part. */
function presence(
  frozen: FrozenBatch,
  { posted, standing }: { readonly posted: readonly PostedMessage[]; readonly standing: KeyMultiset },
  keysOf: KeysOf,
): "all" | "some" | "none" {
  const shown = keysOf(asPosted(frozen.body));
  const wanted = allKeys(shown);
  if (shown.digests.length > 0) {
    const names = (frozen.body.files ?? []).map((file) => file.name);
    const there = posted.some(({ attachmentNames }) => names.every((name) => attachmentNames.includes(name)));
    return there ? "all" : "none";
  }
  if (wanted.length === 0) {
    return posted.some((message) => sameMessage(frozen.body, message)) ? "all" : "none";
  }
  const missing = standing.takeAll(wanted);
  if (missing.length === 0) return "all";
  if (missing.length === wanted.length) return "none";
  const lacking = new KeyMultiset(missing);
  standing.add(wanted.filter((key) => lacking.take([key]) === undefined));
  return "some";
}

function allKeys({ keys, notices }: ReturnType<KeysOf>): readonly string[] {
  return [...keys, ...notices];
}

function withStanding(standing: KeyMultiset): { readonly standing?: readonly string[] } {
  const { keys } = standing;
  return keys.length === 0 ? {} : { standing: keys };
}
