import { joined, md } from "../../domain/escaped.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { RunPlan } from "../../domain/run.ts";
import { planLine } from "./hit-words.ts";
import { RUN_COLORS } from "./plan-cards.ts";

/** How a question whether to send a command reads when it is over and nothing was sent. Pure. */

/** Nobody answered in time. `plan`: where it is known what was asked about. */
export function expiredCard(plan?: RunPlan): MessageBody {
  const what = plan === undefined ? [] : [planLine(plan), md``];
  return {
    cards: [
      {
        title: md`⌛ Expired: it was not sent`,
        description: joined([...what, md`Start again if it still matters.`], "\n"),
        color: RUN_COLORS.quiet,
      },
    ],
    rows: [],
  };
}

export function droppedCard(dropped: boolean): MessageBody {
  if (dropped) return { content: md`⚪ Nothing was sent.` };
  const description = md`It was already answered or has expired. Check \`/run queue\` or \`/run history\`.`;
  return { cards: [{ title: md`⚪ Too late to cancel`, description, color: RUN_COLORS.quiet }] };
}
