import { channelMention, md } from "../../../domain/escaped.ts";
import type { PanelRenderer } from "../../../domain/ports/panels.ts";
import { escapeMarkdown } from "../escape.ts";
import { statusFields, statusHeadline } from "./status.ts";
import { serverTitle } from "./view.ts";

/** How a panel reads: the status without its age, since only a change is worth an edit. Pure. */

const COLOR = 0x2d7d46;

export const panelRenderer: PanelRenderer = {
  current: (state, { bindingId, mark }) => ({
    // Said, so that an edit takes away what stood there in a silence.
    content: md``,
    cards: [
      {
        title: serverTitle(state.status),
        description: statusHeadline(state),
        color: COLOR,
        fields: statusFields(state),
        footer: `Kept current by Marshal · ${mark}`,
      },
    ],
    rows: [
      [
        { kind: "button", style: "secondary", label: "Players", id: `server-players:${bindingId}` },
        { kind: "button", style: "secondary", label: "Join key", id: `server-key:${bindingId}` },
      ],
    ],
  }),
  silent: (body, goodAtMs) => {
    const goodS = Math.floor(goodAtMs / 1000);
    return {
      ...body,
      content: md`⏳ The game service is silent. Last good data from <t:${goodS}:f> (<t:${goodS}:R>).`,
    };
  },
  stopped: (channelId, why) => ({
    content: md`⏸ The panel in ${channelMention(channelId)} has stopped: ${escapeMarkdown(why)}. Put it right and use \`/server panel\` again.`,
  }),
};
