import { channelMention, type Escaped, joined, md } from "../../../domain/escaped.ts";
import type { PanelRenderer, StaleCause } from "../../../domain/ports/panels.ts";
import { escapeMarkdown } from "../escape.ts";
import { waitEnd } from "../fine-print.ts";
import { notReadWords } from "./not-read.ts";
import { statusFields, statusHeadline } from "./status.ts";
import { ageLine, LIVE_COLOR, STALE_COLOR, serverTitle } from "./view.ts";

/** How a panel reads: the status, the time that it is from, and what keeps it from being newer. Pure. */

export const panelRenderer: PanelRenderer = {
  current: (state, { bindingId, mark, seenAtMs, onDuty }) => ({
    // Said, so that an edit takes away what stood there in a silence.
    content: md``,
    cards: [
      {
        title: serverTitle(state.status),
        description: joined([statusHeadline(state), ageLine(seenAtMs)], "\n"),
        color: LIVE_COLOR,
        fields: statusFields(state, onDuty),
        footer: "Updated by Marshal",
      },
    ],
    rows: [
      [
        { kind: "button", style: "secondary", label: "Players", id: `server-players:${bindingId}/${mark}` },
        { kind: "button", style: "secondary", label: "Join key", id: `server-key:${bindingId}` },
      ],
    ],
  }),
  stale: (body, why) => ({
    ...body,
    content: staleText(why),
    cards: body.cards?.map((card) => ({ ...card, color: STALE_COLOR })) ?? [],
  }),
  stopped: (channelId, why) => ({
    content: md`⏸ The panel in ${channelMention(channelId)} has stopped: ${escapeMarkdown(why)}. Fix that, then use \`/server panel\` again.`,
  }),
};

function staleText(why: StaleCause): Escaped {
  switch (why.kind) {
    case "key":
      return md`🔑 The server key is wrong or expired. Someone with Manage Server can replace it with \`/setup link\`.`;
    case "refused":
      return md`⛔ The game service does not let Marshal read this server. See \`/diagnose\`.`;
    case "silent":
      return md`⏳ The game service is not answering.`;
    case "failing":
      return md`⏳ Not up to date: ${notReadWords(why.code)}`;
    case "waits":
      return md`⏳ The game service asked Marshal to wait until ${waitEnd(why.untilMs)}.`;
    case "held":
      return md`⏳ Waiting, because too many other keys were refused. Next try: <t:${Math.ceil(why.untilMs / 1_000)}:t>.`;
    case "blocked":
      return md`⏳ The game service is blocking Marshal until ${waitEnd(why.untilMs)}.`;
    default:
      return why satisfies never;
  }
}
