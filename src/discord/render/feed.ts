import { FEED_TABLE } from "../../domain/feed-kinds.ts";
import type { FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import { emergencyCard, endedEmergency, openEmergencyOf } from "./emergency-card.ts";
import { callKey, digestHash, entryKeys, gapKeys, keysOf, lateKey } from "./feed-keys.ts";
import { renderDigest, renderLines } from "./feed-lines.ts";
import { modCallCard, modCallOf } from "./mod-call-card.ts";
import {
  escalationNotice,
  gapNotice,
  goesOnNotice,
  isEscalationNotice,
  lateNotice,
  ofServer,
  parkedNotice,
  possiblyRepeated,
  testNotice,
  unpostableNotice,
} from "./notices.ts";

/** Everything that feeds/ shows, as pure functions, because feeds/ knows no Discord. */
export const feedRenderer: FeedRenderer = {
  lines: renderLines,
  modCall: modCallCard,
  emergencyCall: emergencyCard,
  gap: gapNotice,
  digest: renderDigest,
  late: lateNotice,
  ofServer,
  possiblyRepeated,
  parked: parkedNotice,
  goesOn: goesOnNotice,
  escalation: escalationNotice,
  isEscalation: isEscalationNotice,
  test: testNotice,
  unpostable: unpostableNotice,
  keysOf,
  entryKeys: (entry) => entryKeys(entry),
  digestHash,
  callKey,
  modCallOf,
  openEmergencyOf,
  endedEmergency,
  gapKeys: (kind, fromS, toS) => gapKeys(FEED_TABLE[kind].name, fromS, toS),
  lateKey: (kind) => lateKey(FEED_TABLE[kind].name),
};
