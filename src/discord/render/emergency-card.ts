import { type Escaped, joined, md } from "../../domain/escaped.ts";
import type { Card, MessageBody } from "../../domain/message.ts";
import type { EmergencyCallView } from "../../domain/ports/feed-renderer.ts";
import { duration, note } from "./entry-line.ts";
import { cut, inlineName, plainText } from "./escape.ts";
import { profile } from "./server/view.ts";

/** The one message of an emergency call: started, units joined, ended. It is state, not a log. */
export function emergencyCard(view: EmergencyCallView): MessageBody {
  const { call } = view;
  const ended = view.endedAtMs !== undefined;
  const caller =
    view.callerName !== undefined
      ? md`**${inlineName(view.callerName)}**`
      : call.callerId === undefined
        ? "Someone"
        : profile(call.callerId, "Somebody");
  const lines = [md`${caller} called <t:${call.startedAtS}:T> (<t:${call.startedAtS}:R>)`];
  if (call.description !== undefined) lines.push(md`> ${note(call.description, 900)}`);
  if (call.positionDescriptor !== undefined) lines.push(md`📍 ${note(call.positionDescriptor, 300)}`);
  lines.push(unitsLine(view));
  if (view.endedAtMs !== undefined) {
    lines.push(md`⏹ Ended after ${duration(view.endedAtMs / 1_000 - call.startedAtS)}`);
  }
  const card: Card = {
    ...(view.serverName === undefined ? {} : { author: cut(plainText(view.serverName), 200) }),
    title: md`${ended ? "⏹" : "🚨"} Call #${call.callNumber} · ${note(call.team, 60)} · ${ended ? "ended" : "in progress"}`,
    description: joined(lines, "\n"),
    color: ended ? 0x6b7280 : 0xc53030,
    footer: `Call ${view.cardId}`,
  };
  return { cards: [card] };
}

function unitsLine(view: EmergencyCallView): Escaped {
  const names = view.unitNames.map(unit);
  if (names.length === 0) return md`🚓 No units yet`;
  const shown = names.slice(0, 12);
  const more = names.length > shown.length ? md` and ${names.length - shown.length} more` : "";
  return md`🚓 ${names.length} ${names.length === 1 ? "unit" : "units"}: ${joined(shown, ", ")}${more}`;
}

/** Without a name only the id is known: it stands behind a link. */
function unit(name: string): Escaped {
  return /^\d+$/.test(name) ? profile(Number(name), "a unit") : md`**${inlineName(name)}**`;
}
