import { type Case, runKinds } from "./case.ts";
import type { ParsedCommand, RunRecord } from "./run.ts";

/** What the answer of a run says and offers of the case that it becomes. Pure. */
export interface CaseForAnswer {
  /** It became a case that has no reason yet, or becomes one. */
  readonly wantsReason: boolean;
  /** It is a punishment that becomes a case. */
  readonly isCase: boolean;
  readonly caseNumber: number | undefined;
  /** All that would undo it ran. */
  readonly isUndone: boolean;
}

/** The meaning of a command text; undefined: it cannot be read. */
type Read = (text: string) => Pick<ParsedCommand, "verb" | "targetTexts" | "rest"> | undefined;

/** A punishment that ran, or may have, becomes a case. */
export function becomesCase({ status, text }: Pick<RunRecord, "status" | "text">, read: Read): boolean {
  if (status !== "done" && status !== "unknown") return false;
  const { verb, targetTexts = [] } = read(text) ?? {};
  return runKinds.some((kind) => kind === verb) && targetTexts.length > 0;
}

/** `found`: its case; undefined: it becomes none, or has none yet. `isKept`: whether cases are kept here at all. */
export function caseForAnswer(
  run: RunRecord,
  found: Case | undefined,
  { read, isKept }: { readonly read: Read; readonly isKept: boolean },
): CaseForAnswer {
  const isCase = isKept && becomesCase(run, read);
  return {
    wantsReason: isCase && (found === undefined ? lacksReason(run, read) : found.reason === undefined),
    isCase,
    caseNumber: found?.number,
    isUndone: (found?.undone?.length ?? 0) >= (run.inverse?.length ?? 1),
  };
}

/** What is said of a command that needs nobody's words: why it was sent is known. */
export const REASON_BY_ORIGIN: Readonly<Partial<Record<RunRecord["origin"], string>>> = {
  "ban-end": "The time of the ban was over.",
  appeal: "Their appeal was accepted.",
};

/** Without words behind the names a case has no reason, unless why it was sent says it. */
function lacksReason({ text, origin }: RunRecord, read: Read): boolean {
  return REASON_BY_ORIGIN[origin] === undefined && (read(text)?.rest ?? "").trim() === "";
}
