import type { Card, MessageBody } from "../../domain/message.ts";
import type { EmergencyCallView } from "../../domain/ports/feed-renderer.ts";
import { cut, inlineName, plainText } from "./escape.ts";
import { duration, note } from "./feed-lines.ts";

/** The one message of an emergency call: started, units joined, ended. It is state, not a log. */
export function emergencyCard(view: EmergencyCallView): MessageBody {
  const { call } = view;
  const ended = view.endedAtMs !== undefined;
  const caller =
    view.callerName !== undefined
      ? `**${inlineName(view.callerName)}**`
      : call.callerId === undefined
        ? "Someone"
        : `Player \`${call.callerId}\``;
  const lines = [`${caller} called <t:${call.startedAtS}:T> (<t:${call.startedAtS}:R>)`];
  if (call.description !== undefined) lines.push(`> ${note(call.description, 900)}`);
  if (call.positionDescriptor !== undefined) lines.push(`📍 ${note(call.positionDescriptor, 300)}`);
  lines.push(unitsLine(view));
  if (view.endedAtMs !== undefined) {
    lines.push(`⏹ Ended after ${duration(view.endedAtMs / 1_000 - call.startedAtS)}`);
  }
  const card: Card = {
    ...(view.serverName === undefined ? {} : { author: cut(plainText(view.serverName), 200) }),
    title: `${ended ? "⏹" : "🚨"} Call #${call.callNumber} · ${note(call.team, 60)} · ${ended ? "ended" : "in progress"}`,
    description: lines.join("\n"),
    color: ended ? 0x6b7280 : 0xc53030,
    footer: `Call ${view.cardId}`,
  };
  return { cards: [card] };
}

function unitsLine(view: EmergencyCallView): string {
  const names = view.unitNames.map((name) => `**${inlineName(name)}**`);
  if (names.length === 0) return "🚓 No units yet";
  const shown = names.slice(0, 12);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : "";
  return `🚓 ${names.length} ${names.length === 1 ? "unit" : "units"}: ${shown.join(", ")}${more}`;
}
