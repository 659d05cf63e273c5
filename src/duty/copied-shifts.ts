import type { DutyMark } from "../domain/duty.ts";
import type { DutyStore } from "../domain/ports/duty-store.ts";
import { markId, markRow, shiftIn } from "./duty-rows.ts";

/** Before what was said in the game in the same second, and after what was said in Discord: nobody presses 400 times in one. */
const NTH = "400 restored";

/**
 * Ends the shifts that went on when a copy of the database was made: whether they ended since then nobody knows. Each ends
 * when its member was seen last in it. To be called before shifts are worked out of what came after the copy.
 */
export async function endCopiedShifts(store: DutyStore, guildId: string): Promise<void> {
  const rows = await store.rows({ guildId, kinds: ["shift"], isOpen: true });
  const marks = rows.map(shiftIn).flatMap(({ userId, fromS, decidedS, lastMark, parts }) => {
    if (decidedS !== undefined || lastMark === undefined) return [];
    const saidS = Number.parseInt(lastMark, 10);
    const atS = Math.max(fromS, saidS, ...parts.map(({ untilS }) => untilS));
    const mark: DutyMark = { id: markId(atS, NTH), userId, atS, kind: "end", by: "restore" };
    // Something was typed in the game in that very second.
    return [mark.id > lastMark ? mark : { ...mark, id: markId(atS + 1, NTH), atS: atS + 1 }];
  });
  if (marks.length > 0) await store.write({ put: marks.map((mark) => markRow(guildId, mark)) });
}
