import { joined, md } from "../../domain/escaped.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { PlayerRef } from "../../domain/model.ts";
import type { RunRecord } from "../../domain/run.ts";
import { cut, cutLines, escapeMarkdown, inlineName } from "./escape.ts";
import { commandWithNames } from "./hit-words.ts";
import { RUN_COLORS } from "./plan-cards.ts";

/** One of the commands that together undo another. */
export interface UndoStep {
  readonly text: string;
  /** What became of it; absent: it waits, or is being sent. */
  readonly end?: Pick<RunRecord, "status" | "message"> | undefined;
  /** Players whom it is for. */
  readonly players?: readonly PlayerRef[];
}

/** An undo of several commands: each of them with what became of it. Pure. */
export function undoCard(steps: readonly UndoStep[], serverName: string): MessageBody {
  const done = steps.filter(({ end }) => end?.status === "done").length;
  const isOver = steps.every(({ end }) => end !== undefined);
  const lines = steps.map(({ text, end, players = [] }) => {
    const why =
      end?.message === undefined || end.status === "done"
        ? md``
        : md` ${escapeMarkdown(cut(end.message, 200))}`;
    return md`${signOf(end)} ${commandWithNames(text, 200, players)}${why}`;
  });
  return {
    cards: [
      {
        title: md`↩️ Undo: ${done} of ${steps.length} commands ran`,
        description: joined([md`on **${inlineName(serverName)}**`, cutLines(lines, 3_800)], "\n"),
        color: isOver ? (done === steps.length ? RUN_COLORS.done : RUN_COLORS.failed) : RUN_COLORS.wait,
      },
    ],
    rows: [],
  };
}

function signOf(end: UndoStep["end"]): "⏳" | "✅" | "❔" | "⛔" {
  if (end === undefined) return "⏳";
  if (end.status === "done") return "✅";
  return end.status === "unknown" ? "❔" : "⛔";
}
