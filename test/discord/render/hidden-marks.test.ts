import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alertRenderer } from "../../../src/discord/render/alert-cards.ts";
import { appealRenderer } from "../../../src/discord/render/appeal-cards.ts";
import { feedRenderer } from "../../../src/discord/render/feed.ts";
import { mapPlaceOf } from "../../../src/discord/render/map/map-message.ts";
import { rewindPlaceOf } from "../../../src/discord/render/players/rewind-buttons.ts";
import { caseRenderer } from "../../../src/discord/render/players/watch-cards.ts";
import { weeklyRenderer } from "../../../src/discord/render/stats/weekly-card.ts";
import type { Appeal } from "../../../src/domain/appeal.ts";
import type { Case } from "../../../src/domain/case.ts";
import { componentIdsOf, type MessageBody, type PostedMessage } from "../../../src/domain/message.ts";
import type { AlertView } from "../../../src/domain/ports/alert-renderer.ts";
import type { ServerStats } from "../../../src/domain/stats.ts";
import { linkedServer } from "../../support/bindings.ts";
import { startDiscordRig } from "../../support/discord-rig.ts";

const AT_S = 1_700_000_000;
const CALL = "ab0123456789cdef";
const EMERGENCY = "ab0123456789";
const KEY = "uhHaoG29B96c";

const modCall = {
  cardId: CALL,
  caller: { name: "Caller", id: 5 },
  calls: [{ atS: AT_S }],
  escalated: false,
  hasReplay: false,
};
const emergency = {
  cardId: EMERGENCY,
  bindingId: "b1",
  call: {
    team: "Fire",
    callerId: 5,
    callNumber: 4,
    startedAtS: AT_S,
    unitIds: [],
  },
  callerName: "Caller",
  unitNames: [],
};
const killer = { name: "Turbo", id: 7 };
const alert: AlertView = {
  key: KEY,
  rule: {
    id: "r1",
    guildId: "g1",
    bindingId: "b1",
    kind: "kills",
    channelId: "c1",
    createdBy: "u1",
    createdAtMs: 0,
  },
  serverName: "Town",
  entries: [{ who: killer, count: 4, firstS: AT_S, lastS: AT_S, rows: [] }],
  more: 0,
  whereabouts: { locations: new Map(), leftIds: new Set() },
  callCards: [],
  isLate: false,
  postedLateMs: undefined,
  hasReplay: false,
  pingedRoleId: undefined,
};
const alertOfCall: AlertView = {
  ...alert,
  rule: { ...alert.rule, kind: "calls" },
  entries: [{ who: modCall.caller, count: 1, firstS: AT_S, lastS: AT_S, rows: [] }],
  callCards: [{ cardId: CALL, caller: modCall.caller, calledAtS: [AT_S] }],
};
const watch = {
  watch: { guildId: "g1", playerId: 7, name: "Turbo", byId: "u1", atMs: 0 },
  player: killer,
  bindingId: "b1",
  serverName: "Town",
  joinedAtS: AT_S,
  key: KEY,
  pingRoleId: undefined,
  isLate: false,
  earlierJoins: 0,
};
const one: Case = {
  guildId: "g1",
  number: 12,
  kind: "warning",
  targets: [{ name: "Turbo", playerId: 7 }],
  mass: false,
  author: { name: "Mo", userId: "u1" },
  atMs: AT_S * 1_000,
  // Where a card's number stands nobody else's words may stand.
  reason: "see · case 99",
  edits: [],
};
const appeal: Appeal = {
  id: KEY,
  guildId: "g1",
  userId: "u2",
  atMs: AT_S * 1_000,
  channelId: "c1",
  typedName: "Turbo",
  words: "sorry",
  card: { channelId: "c2", nonce: "n" },
};
const decision = { outcome: "refused", byId: "u1", byName: "Mo", atMs: AT_S * 1_000 } as const;
const stats: ServerStats = {
  bindingId: "b1",
  fromS: AT_S,
  toS: AT_S + 7 * 86_400,
  zone: "UTC",
  knownS: 0,
  uncoveredS: 0,
  recordedSinceS: 0,
  joins: 0,
  visitors: 0,
  kills: 0,
  unrecordedS: 0,
  calls: { calls: 0, answered: 0, timed: 0 },
  stepKind: "hour",
  steps: [],
  week: [],
};
const appealPack = { one: undefined, lift: undefined, evidence: undefined, earlier: [] };

interface Marked {
  readonly name: string;
  readonly body: MessageBody;
  /** As the version before has posted it. */
  readonly shown: string;
  readonly mark: unknown;
  find(posted: PostedMessage): unknown;
}

const CARDS: readonly Marked[] = [
  {
    name: "a moderator call",
    body: feedRenderer.modCall(modCall),
    shown: `Call ${CALL}`,
    mark: CALL,
    find: (posted) => feedRenderer.modCallOf(posted)?.cardId,
  },
  {
    name: "a resolved one",
    body: feedRenderer.modCall({ ...modCall, resolved: { userId: "u1", atMs: AT_S * 1_000 } }),
    shown: `Call ${CALL}`,
    mark: CALL,
    find: (posted) => feedRenderer.modCallOf(posted)?.cardId,
  },
  {
    name: "an emergency call",
    body: feedRenderer.emergencyCall(emergency),
    shown: `Call ${EMERGENCY}`,
    mark: EMERGENCY,
    find: (posted) => feedRenderer.openEmergencyOf(posted)?.cardId,
  },
  {
    name: "an alert",
    body: alertRenderer.alert(alert),
    shown: `Alert · ${KEY}`,
    mark: KEY,
    find: (posted) => alertRenderer.keyOf(posted),
  },
  {
    name: "an alert about a call, which can be claimed there",
    body: alertRenderer.alert(alertOfCall),
    shown: `Alert · ${KEY}`,
    mark: KEY,
    find: (posted) => alertRenderer.keyOf(posted),
  },
  {
    name: "the join of a watched player",
    body: caseRenderer.watchAlert(watch),
    shown: `Watched · ${KEY}`,
    mark: KEY,
    find: (posted) => caseRenderer.alertKeyOf(posted),
  },
  {
    name: "a case",
    body: caseRenderer.card({ one, hasReplay: false, isSought: false, lift: undefined }),
    shown: "Case 12",
    mark: 12,
    find: (posted) => caseRenderer.numberOf(posted),
  },
  {
    name: "an erased case",
    body: caseRenderer.erased(12),
    shown: "Case 12",
    mark: 12,
    find: (posted) => caseRenderer.numberOf(posted),
  },
  {
    name: "an appeal",
    body: appealRenderer.card({ appeal, ...appealPack }),
    shown: `Appeal ${KEY}`,
    mark: true,
    find: (posted) => appealRenderer.isCard(KEY, posted),
  },
  {
    name: "a decided appeal",
    body: appealRenderer.card({ appeal: { ...appeal, decision }, ...appealPack }),
    shown: `Appeal ${KEY}`,
    mark: true,
    find: (posted) => appealRenderer.isCard(KEY, posted),
  },
  {
    name: "the summary of a week",
    body: weeklyRenderer.summary({
      binding: linkedServer(),
      stats,
      before: stats,
      pngs: undefined,
      key: "ab12cd34",
    }),
    shown: "Times in UTC · summary ab12cd34",
    mark: "ab12cd34",
    find: (posted) => weeklyRenderer.keyOf(posted),
  },
];

/** As it stood in a channel before ids were hidden: the footer shows it, and no button has it. */
function asBefore({ body, shown }: Marked): MessageBody {
  const [card, ...others] = body.cards ?? [];
  const { url: _, ...rest } = card ?? {};
  return { ...body, cards: [{ ...rest, footer: shown }, ...others], rows: [] };
}

/** What people see of it. */
function seen({ content, cards = [], rows = [] }: MessageBody): string {
  const labels = rows.flatMap((row) =>
    row.map((part) => (part.kind === "button" ? part.label : part.placeholder)),
  );
  const texts = cards.flatMap(({ author, title, description, footer }) => [
    author,
    title,
    description,
    footer,
  ]);
  return [content, ...texts, ...labels].join("\n");
}

describe("what names a card for a later reading", () => {
  test("is found when the card is read back from Discord, also as the version before posted it", async (t) => {
    const { discord, channel } = await startDiscordRig(t, []);
    for (const [index, card] of CARDS.entries()) {
      for (const [version, body] of [card.body, asBefore(card)].entries()) {
        const { messageId, posted } = await discord.sink.send(channel.id, {
          ...body,
          nonce: `${index}-${version}`,
        });
        assert.ok(posted !== undefined, card.name);
        assert.deepEqual(card.find(posted), card.mark, `${card.name}, as the answer tells it`);
        const before = String(BigInt(messageId) - 1n);
        const [read] = await discord.sink.readBack(channel.id, before, 1);
        assert.ok(read !== undefined, card.name);
        assert.deepEqual(card.find(read), card.mark, `${card.name}, version ${version}`);
      }
    }
  });

  test("is shown to nobody", () => {
    for (const { name, body } of CARDS) {
      const text = seen(body);
      for (const id of [CALL, EMERGENCY, KEY, "ab12cd34"]) assert.ok(!text.includes(id), `${name}: ${text}`);
      assert.doesNotMatch(body.cards?.[0]?.footer ?? "", /[Cc]ase|Call|Alert|Watched|Appeal/, name);
    }
  });

  test("is nobody else's: a card of another kind has none of its marks", () => {
    const [first] = CARDS;
    const posted = { messageId: "1", content: "", attachmentNames: [], postedAtMs: 0 };
    for (const { name, body } of CARDS.slice(2)) {
      const read = { ...posted, cards: body.cards ?? [], componentIds: componentIdsOf(body) };
      assert.equal(first?.find(read), undefined, name);
    }
  });

  test("does not change where a button leads", () => {
    const idOf = (body: MessageBody, action: string) =>
      componentIdsOf(body)
        .find((id) => id.startsWith(`${action}:`))
        ?.slice(action.length + 1) ?? "";
    assert.deepEqual(mapPlaceOf(idOf(feedRenderer.emergencyCall(emergency), "map-open")), mapPlaceOf("b1"));
    const ended = feedRenderer.emergencyCall({ ...emergency, endedAtMs: (AT_S + 60) * 1_000 });
    assert.deepEqual(rewindPlaceOf(idOf(ended, "rewind-open")), rewindPlaceOf(`b1/${AT_S}`));
    const place = rewindPlaceOf(idOf(alertRenderer.alert(alert), "rewind-open"));
    assert.deepEqual(place, { ...rewindPlaceOf(`b1/${AT_S}`), openedFrom: "alert", playerId: killer.id });
  });
});
