import { channelMention, md, roleMention, userMention } from "../../../domain/escaped.ts";
import type { DutyRenderer } from "../../../domain/ports/duty-renderer.ts";
import { daysIn } from "../day-words.ts";
import { inlineName } from "../escape.ts";
import { refusedText } from "../refused-text.ts";
import { endWords, evidence, hoursOf } from "./shift-lines.ts";
import { leaveLine, leaveWords, resultCard } from "./staffing-cards.ts";

/** How what duty posts of itself reads. Pure. */

const COLORS = { on: 0x2d7d46, off: 0x80848e };

export const dutyRenderer: DutyRenderer = {
  shift(id, { shift, type, serverName }) {
    const { userId, fromS, untilS } = shift;
    const names = { serverName, typeName: () => type.name };
    const isOver = untilS !== undefined;
    const words = isOver
      ? md`<t:${fromS}:t> to <t:${untilS}:t> · **${hoursOf(shift)}**${endWords(shift)}\n${evidence(shift, names)}`
      : md`Since <t:${fromS}:f>`;
    return {
      cards: [
        {
          title: isOver ? md`Off duty: ${inlineName(type.name)}` : md`On duty: ${inlineName(type.name)}`,
          url: urlOf(id),
          description: md`${userMention(userId)}\n${words}`,
          color: isOver ? COLORS.off : COLORS.on,
        },
      ],
    };
  },
  result: (id, { result, quota }, zone) => ({
    cards: [{ ...resultCard(result, quota, { days: daysIn(zone) }), url: urlOf(id) }],
  }),
  isPost: (id, posted) => posted.cards.some(({ url }) => url === urlOf(id)),
  leaveDecided: (leave, zone) => ({
    content:
      leave.state === "approved"
        ? md`✅ Your request was approved: ${leaveLine(leave, daysIn(zone))}`
        : md`⛔ Your request was denied: ${leaveLine(leave, daysIn(zone))}`,
  }),
  leaveEnded: (leave, zone) => ({
    content: md`${leave.state === "ended" ? md`Your leave was ended` : md`Your leave was cancelled`} by ${userMention(leave.byId ?? "")}: ${leaveLine(leave, daysIn(zone))}`,
  }),
  // The reason may be private, and the channel may not be. It stays as it is when somebody has decided.
  leaveAsked: (leave, zone) => ({
    content: md`🌴 Leave request: ${leaveWords({ ...leave, reason: "" }, daysIn(zone))}\nA Manager decides with \`/duty leave list\`.`,
  }),
  roleRefused: (roleId) => ({
    content: md`⚠ I can't give or take ${roleMention(roleId)} for duty. Give me Manage Roles and drag my role above it.`,
  }),
  closed: (channelId, why) => ({
    content: md`⚠ I can't post duty messages in ${channelMention(channelId)}: ${refusedText(why, md`\`/duty type add\` or \`/duty quota set\``)} Shifts and quotas are still saved.`,
  }),
};

/** What follows the address names the post, so that it is found again. */
function urlOf(id: string): string {
  return `https://discord.com/channels/@me#${id.replaceAll(" ", "-")}`;
}
