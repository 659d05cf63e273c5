import type { Tier } from "../../domain/guild.ts";
import type { AuditEvent, DeferredRun, RunProgress, RunRecord, RunStatus } from "../../domain/run.ts";
import { cut, inlineCode, inlineName } from "./escape.ts";
import { escapeButMentions } from "./own-markup.ts";

/** Audit rows as they read, and as files. Pure. */

const marks: Readonly<Record<RunStatus, string>> = {
  waiting: "⏳ waiting",
  sending: "📨 being sent",
  done: "✅ ran",
  failed: "⛔ did not run",
  unknown: "❔ may have run",
  cancelled: "⚪ cancelled",
  expired: "⌛ expired unsent",
  denied: "🚫 denied",
};

const proofs: Readonly<Record<RunRecord["proof"], string>> = {
  unchecked: "",
  seen: " · seen in the log",
  "seen-twice": " · **twice in the log**",
  "not-seen": " · **not in the log**",
};

/** What came of it and the command on one line; below, in small: who, when, and why where it did not simply run. */
export function runLine(record: RunRecord, options: { readonly server?: boolean } = {}): string {
  const { status, askedAtMs, actorId, text, serverName, proof, message } = record;
  const where = options.server === true ? ` on **${inlineName(serverName)}**` : "";
  const why = status === "done" || message === undefined ? "" : cut(escapeButMentions(message), 200);
  return `${marks[status]} ${inlineCode(text, 300)}${where}${proofs[proof]}\n${small(actorId, askedAtMs, why)}`;
}

/** A row that is not a run. */
export function eventLine({ atMs, actorId, actorName, action, text }: AuditEvent): string {
  if (action === "outside-run") {
    const said = `⚠ **run outside this bot** by ${inlineName(actorName)}: ${inlineCode(text, 300)}`;
    return `${said}\n${small("", atMs)}`;
  }
  const by = actorId === "" ? inlineName(actorName) : `<@${actorId}>`;
  const what = Object.hasOwn(actions, action) ? actions[action] : inlineCode(action);
  return `⚙ ${by} ${what}: ${cut(escapeButMentions(text), 300)}\n${small("", atMs)}`;
}

/** The names that rows keep, as people say them. */
const actions: Readonly<Record<string, string>> = {
  link: "linked a server",
  unlink: "unlinked a server",
  notices: "set the channel for notices",
  "feed-add": "added a feed",
  "feed-remove": "removed a feed",
  "feed-pause": "paused a feed",
  "feed-resume": "resumed a feed",
  "staff-allow": "allowed",
  "staff-deny": "denied",
  "staff-protect": "protected a player",
  "staff-unprotect": "ended the protection of a player",
  "call-claim": "claimed",
  "call-release": "released",
  "call-resolve": "resolved",
  "preset-save": "kept a preset",
  "preset-remove": "dropped a preset",
  "audit-channel": "set the audit channel",
  "audit-retention": "set how long the audit is kept",
  "audit-export": "exported the audit",
  refusals: "was refused",
};

function small(actorId: string, atMs: number, why = ""): string {
  const when = `<t:${seconds(atMs)}:d> <t:${seconds(atMs)}:T>`;
  return `-# ${[actorId === "" ? "" : `<@${actorId}>`, when, why].filter((part) => part !== "").join(" · ")}`;
}

export function waitingLine({ record, place, expectedAtMs }: RunProgress): string {
  const mark = place === 0 ? "📨" : `**${place}.**`;
  const when = place === 0 ? "being sent" : `to be sent <t:${Math.ceil(expectedAtMs / 1000)}:R>`;
  return `${mark} ${inlineCode(record.text, 200)} ${when}\n-# <@${record.actorId}> · on **${inlineName(record.serverName)}**`;
}

export function deferredLine({ request, expiresAtMs }: DeferredRun): string {
  const until = `when someone joins, until <t:${seconds(expiresAtMs)}:t>`;
  return `🚪 ${inlineCode(request.text, 200)} ${until}\n-# <@${request.actor.userId}> · on **${inlineName(request.binding.name)}**`;
}

/** As many lines as fit a description; says how many do not. */
export function fitLines(lines: readonly string[], max = 3_800): string {
  const kept: string[] = [];
  let size = 0;
  for (const line of lines) {
    if (size + line.length + 1 > max) break;
    kept.push(line);
    size += line.length + 1;
  }
  const left = lines.length - kept.length;
  return [...kept, ...(left === 0 ? [] : [`-# and ${left} more; narrow the search or export`])].join("\n");
}

/** Says that a search ended before it had looked at every row. */
export function searchStopped(found: number): string {
  const what = found === 0 ? "Nothing fits among" : "These are from";
  return `-# ${what} the newest rows that a search may read. Narrow it by person, verb, server or days to look further back.`;
}

function seconds(atMs: number): number {
  return Math.floor(atMs / 1000);
}

export const tierLabels: Readonly<Record<Tier, string>> = {
  viewer: "Viewer",
  moderator: "Moderator",
  administrator: "Administrator",
  manager: "Manager",
};
