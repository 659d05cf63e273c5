import assert from "node:assert/strict";
import { countedS, type DutyPart, type Shift } from "../../src/domain/duty.ts";
import { linkIn, markIn, setupIn, shiftIn, stateIn } from "../../src/duty/duty-rows.ts";
import { deriveShifts } from "../../src/duty/shift-derive.ts";
import { GUILD } from "../history/rig.ts";
import { joined, MonthJudge } from "./month-judge.ts";
import { DISPATCH, type Month } from "./month-life.ts";

/** Every figure of a month beside the towns' own record. Answers how much there was of what was compared. */
export async function checkMonth(month: Month) {
  const { rig, towns, marks, links, userIds, patrolId, dispatchId, evenings } = month;
  const judge = new MonthJudge(towns, links, marks);
  const rows = await rig.store.rows({ guildId: GUILD, kinds: ["shift"] });
  assert.deepEqual(
    rows.filter(({ untilS }) => untilS === undefined).map(({ id }) => id),
    [],
    "a shift goes on though everybody went home",
  );
  const all = rows.map(shiftIn);
  let [shifts, seconds, unsureParts] = [0, 0, 0];
  for (const userId of userIds) {
    const own = all.filter((shift) => shift.userId === userId);
    const patrol = own.filter(({ typeId }) => typeId === patrolId);
    const told = evenings.flatMap((evening) => judge.declared(userId, evening));
    assert.deepEqual(
      patrol.map(({ fromS, untilS, parts }) => ({ fromS, untilS, counted: joined(parts) })),
      told,
      `the shifts that ${userId} started`,
    );
    const taken = patrol.map(({ fromS, decidedS = 0 }) => ({ fromS, untilS: decidedS }));
    const dispatch = own.filter(({ typeId }) => typeId === dispatchId).flatMap(({ parts }) => parts);
    assert.deepEqual(
      joined(dispatch),
      joined(evenings.flatMap((evening) => judge.byTeam(userId, DISPATCH, evening, taken))),
      `the time of ${userId} on the team`,
    );
    unsureParts += checkParts(own, judge);
    shifts += own.length;
    seconds += own.reduce((sum, shift) => sum + countedS(shift), 0);
  }
  await checkRebuild(month, all);
  return { shifts, seconds, unsureParts };
}

/** Never two at once, no second without a real session around it, and what is not sure says how far it reaches. */
function checkParts(shifts: readonly Shift[], judge: MonthJudge): number {
  const parts = shifts.flatMap((shift) => shift.parts).sort((a, b) => a.fromS - b.fromS);
  let unsure = 0;
  for (const [at, part] of parts.entries()) {
    const { fromS, untilS, mightFromS, mightUntilS, bindingId, playerId } = part;
    const before: DutyPart | undefined = parts[at - 1];
    assert.ok(before === undefined || before.untilS <= fromS, `two at once at ${fromS}`);
    assert.ok(mightFromS <= fromS && fromS <= untilS && untilS <= mightUntilS, JSON.stringify(part));
    const real = judge.sessionAround(playerId, bindingId, part);
    assert.ok(real !== undefined, `nobody was there: ${JSON.stringify(part)}`);
    if (mightUntilS > untilS || mightFromS < fromS) unsure += 1;
  }
  return unsure;
}

/** All of it worked out at once, out of all that is known now, is the same. */
async function checkRebuild({ rig, userIds }: Month, stored: readonly Shift[]): Promise<void> {
  const rows = await rig.store.rows({ guildId: GUILD, kinds: ["setup", "mark", "link", "state"] });
  const ofKind = (kind: (typeof rows)[number]["kind"]) => rows.filter((row) => row.kind === kind);
  const links = ofKind("link").map(linkIn);
  const [setup] = ofKind("setup").map(setupIn);
  const states = ofKind("state").map(stateIn);
  const facts = await rig.store.facts({
    guildId: GUILD,
    playerIds: [...new Set(links.map(({ playerId }) => playerId))],
    fromS: 0,
  });
  const byTime = (a: Shift, b: Shift) => a.fromS - b.fromS || (a.id < b.id ? -1 : 1);
  for (const userId of userIds) {
    const own = links.filter((link) => link.userId === userId);
    const ids = new Set(own.map(({ playerId }) => playerId));
    const { shifts } = deriveShifts({
      userId,
      facts: { ...facts, sessions: facts.sessions.filter(({ playerId }) => ids.has(playerId)) },
      links: own,
      marks: ofKind("mark")
        .map(markIn)
        .filter((mark) => mark.userId === userId)
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
      states: states.filter(({ playerId }) => ids.has(playerId)),
      types: setup?.types ?? [],
      closed: [],
    });
    assert.deepEqual(
      plain([...shifts].sort(byTime)),
      plain(stored.filter((shift) => shift.userId === userId).sort(byTime)),
      `${userId} worked out anew`,
    );
  }
}

function plain<T>(value: T): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** What was lived through is worth comparing. */
export function assertRich({ counts }: Month, least: Readonly<Record<string, number>>): void {
  for (const [what, times] of Object.entries(least))
    assert.ok((counts.get(what) ?? 0) >= times, `${what}: ${counts.get(what) ?? 0}, not ${times}`);
}
