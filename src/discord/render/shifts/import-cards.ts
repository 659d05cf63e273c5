import { type Escaped, joined, md, userMention } from "../../../domain/escaped.ts";
import type { Button, MessageBody } from "../../../domain/message.ts";
import type { ImportPlan } from "../../../domain/ports/staffing.ts";
import type { HoursImport } from "../../../domain/quota.ts";
import type { DayWords } from "../day-words.ts";
import { cutLines, escapeMarkdown, inlineName } from "../escape.ts";
import { lasting } from "../stats/stats-words.ts";
import type { ShiftNames } from "./shift-lines.ts";

/** How `/duty import` reads. Pure. */

const COLOR = 0x3b6fd4;
const DAY_S = 86_400;
/** As many as the board takes. */
const MOST_DAYS = 366;

/** What would be imported, and what would not; nothing is yet. */
export function planCard(
  { planned, known, refused }: ImportPlan,
  { typeName, days }: Pick<ShiftNames, "typeName"> & { readonly days: DayWords },
): MessageBody {
  const { id, totals } = planned;
  const lines = totals.map(
    ({ userId, typeId, seconds, asOfS }) =>
      md`${userMention(userId)} **${lasting(seconds)}** · ${inlineName(typeName(typeId))} · as of ${days(asOfS)}`,
  );
  const notes = [
    ...(known === 0 ? [] : [md`Imported before, left out: ${known}`]),
    ...(refused.length === 0
      ? []
      : [
          md`**Left out (${refused.length})**\n${cutLines(
            refused.map(({ line, why }) => md`Line ${line} ${escapeMarkdown(why)}.`),
            1_500,
          )}`,
        ]),
  ];
  const words =
    totals.length === 0
      ? md`There is nothing to import.`
      : md`${summed(planned)}. Nothing is imported yet.\n\n${cutLines(lines, 2_000)}`;
  const button: Button = { kind: "button", style: "primary", label: "Import", id: `duty-import:${id}` };
  return {
    cards: [{ title: md`Import hours`, description: joined([words, ...notes], "\n\n"), color: COLOR }],
    rows: totals.length === 0 ? [] : [[button]],
  };
}

export function importedCard(done: HoursImport): MessageBody {
  const oldestS = Math.min(done.atS, ...done.totals.map(({ asOfS }) => asOfS));
  // One more, so that they are still on it tomorrow.
  const days = Math.min(MOST_DAYS, Math.ceil((done.atS - oldestS) / DAY_S) + 1);
  return {
    content: md`✅ Imported: ${summed(done)}. See them with \`/duty board days:${days}\`. Quotas don't count them.`,
    cards: [],
    rows: [[takeBack(done, "Undo the import")]],
  };
}

export function importList(imports: readonly HoursImport[]): MessageBody {
  const lines = imports.map(
    (one, at) => md`${at + 1}. <t:${one.atS}:D> by ${userMention(one.byId)}: ${summed(one)}`,
  );
  const words = lines.length === 0 ? md`Nothing is imported.` : cutLines(lines, 3_900);
  const buttons = imports.slice(0, 5).map((one, at) => takeBack(one, `Undo ${at + 1}`));
  return {
    content: md``,
    cards: [{ title: md`Imported hours`, description: words, color: COLOR }],
    rows: buttons.length === 0 ? [] : [buttons],
  };
}

function takeBack({ id }: HoursImport, label: string): Button {
  return { kind: "button", style: "danger", label, id: `duty-import-undo:${id}` };
}

function summed({ totals }: HoursImport): Escaped {
  const people = new Set(totals.map(({ userId }) => userId)).size;
  return md`**${lasting(totals.reduce((sum, { seconds }) => sum + seconds, 0))}** for ${people} ${people === 1 ? "member" : "members"}`;
}
