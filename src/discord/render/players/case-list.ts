import type { Case } from "../../../domain/case.ts";
import { type Escaped, joined, md } from "../../../domain/escaped.ts";
import type { Button, MessageBody, Row } from "../../../domain/message.ts";
import { cut } from "../escape.ts";
import { caseLine, kindSmall, targetsPlain } from "./case-words.ts";

/** Cases that a search found, in pages from new to old. Pure. */

/** Cases of a page; one select opens each of them. */
export const CASES_A_PAGE = 10;

export interface CaseListView {
  readonly cases: readonly Case[];
  readonly title: Escaped;
  /** What the pages are asked for again with. */
  readonly filter: string;
  /** It is not the first page. */
  readonly isLater: boolean;
  readonly hasMore: boolean;
  /** All are of one player, who need not be named on each line. */
  readonly ofOne?: boolean;
}

export function caseList(view: CaseListView): MessageBody {
  const { cases, title, isLater, ofOne = false } = view;
  const nothing = isLater ? md`No older cases.` : md`No cases found.`;
  const lines = cases.map((one) => caseLine(one, { withTarget: !ofOne }));
  return {
    cards: [{ title, description: lines.length === 0 ? nothing : joined(lines, "\n"), color: 0x4a6fa5 }],
    rows: rows(view),
  };
}

function rows({ cases, filter, isLater, hasMore }: CaseListView): readonly Row[] {
  const options = cases.map((one) => ({
    label: cut(`Case ${one.number} · ${kindSmall(one)} · ${targetsPlain(one)}`, 100),
    value: String(one.number),
  }));
  const turn: Button[] = [];
  const last = cases.at(-1)?.number;
  if (isLater)
    turn.push({ kind: "button", style: "secondary", label: "Newest", id: `case-newest:${filter}` });
  if (hasMore && last !== undefined)
    turn.push({ kind: "button", style: "secondary", label: "Older", id: `case-older:${last}/${filter}` });
  return [
    ...(options.length === 0
      ? []
      : [[{ kind: "select", of: "string", id: "case-open", placeholder: "Open a case", options }] as const]),
    ...(turn.length === 0 ? [] : [turn]),
  ];
}
