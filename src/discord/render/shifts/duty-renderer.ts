import type { Shift } from "../../../domain/duty.ts";
import { channelMention, md, roleMention, userMention } from "../../../domain/escaped.ts";
import type { DutyRenderer } from "../../../domain/ports/duty-renderer.ts";
import { inlineName } from "../escape.ts";
import { evidence, hoursOf } from "./shift-lines.ts";

/** How what duty posts of itself reads. Pure. */

const COLORS = { on: 0x2d7d46, off: 0x80848e };

export const dutyRenderer: DutyRenderer = {
  shift(shift, type, serverName) {
    const { userId, fromS, untilS } = shift;
    const names = { serverName, typeName: () => type.name };
    const isOver = untilS !== undefined;
    const words = isOver
      ? md`<t:${fromS}:t> to <t:${untilS}:t> · **${hoursOf(shift)}**\n${evidence(shift, names)}`
      : md`Since <t:${fromS}:t>`;
    return {
      cards: [
        {
          title: isOver ? md`Off duty: ${inlineName(type.name)}` : md`On duty: ${inlineName(type.name)}`,
          url: urlOf(shift),
          description: md`${userMention(userId)}\n${words}`,
          color: isOver ? COLORS.off : COLORS.on,
        },
      ],
    };
  },
  isShift: (shift, posted) => posted.cards.some(({ url }) => url === urlOf(shift)),
  roleRefused: (roleId) => ({
    content: md`⚠ I can't give or take ${roleMention(roleId)} for duty. Give me Manage Roles and drag my role above it.`,
  }),
  closed: (channelId) => ({
    content: md`⚠ I can't post shifts in ${channelMention(channelId)}. They are still saved: \`/duty show\`.`,
  }),
};

/** Leads to the member; what follows names the shift, so that its message is found again. */
function urlOf({ userId, id }: Pick<Shift, "userId" | "id">): string {
  return `https://discord.com/users/${userId}#${id.replaceAll(" ", "-")}`;
}
