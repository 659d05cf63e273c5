import { type Escaped, joined, markdownOfOurs, md, userMention } from "../../domain/escaped.ts";
import { HALTED } from "../../domain/ports/service-health.ts";
import {
  type AuditEvent,
  type DeferredRun,
  type RunProgress,
  type RunRecord,
  type RunStatus,
  surelyRan,
} from "../../domain/run.ts";
import { cut, escapeMarkdown, inlineCode, inlineName } from "./escape.ts";
import { commandWithHits, hitOf } from "./hit-words.ts";
import { escapeAfter, escapeButRoles } from "./own-markup.ts";
import { profile } from "./server/view.ts";

/** Audit rows as they read, and as files. Pure. */

const MARKS = {
  waiting: "⏳ waiting",
  sending: "📨 being sent",
  done: "✅ ran",
  failed: "⛔ did not run",
  unknown: "❔ may have run",
  cancelled: "⚪ cancelled",
  expired: "⌛ expired unsent",
  denied: "🚫 denied",
} as const satisfies Readonly<Record<RunStatus, string>>;

/** Of an unclear outcome, as its card says it. */
const UNKNOWN_MARKS = {
  unchecked: MARKS.unknown,
  seen: MARKS.done,
  "seen-twice": "❔ probably ran",
  "not-seen": "❔ probably did not run",
} as const satisfies Readonly<Record<RunRecord["proof"], string>>;

const PROOFS = {
  unchecked: "",
  seen: " · seen in the log",
  "seen-twice": " · **twice in the log**",
  "not-seen": " · **not in the log**",
} as const satisfies Readonly<Record<RunRecord["proof"], string>>;

const HOW: Readonly<Partial<Record<RunRecord["origin"], Escaped>>> = {
  schedule: md` · 🕒 by schedule`,
  "ban-end": md` · ⏳ end of a ban`,
  rule: md` · 📏 by a rule`,
  rank: md` · 🎖 rank by role`,
  appeal: md` · ⚖️ appeal accepted`,
};

/** Of a command in a list: the rest stands in the export. */
const LONGEST_IN_LINE = 150;

/** The outcome and the command on one line; below, in small: who, when, and why where it did not simply run. */
export function runLine(record: RunRecord, options: { readonly server?: boolean } = {}): Escaped {
  const { status, askedAtMs, actorId, text, serverName, proof, origin } = record;
  const where = options.server === true ? md` on **${inlineName(serverName)}**` : "";
  const how = HOW[origin] ?? "";
  const mark = status === "unknown" ? UNKNOWN_MARKS[proof] : MARKS[status];
  return md`${mark} ${commandWithHits(text, LONGEST_IN_LINE, hitOf(record))}${where}${PROOFS[proof]}${how}\n${small(actorId, askedAtMs, whyInLine(record))}`;
}

/** Why it did not simply run. The service's own sentences about these are for other readers, and the card has them. */
function whyInLine(record: RunRecord): Escaped {
  const { status, message, failureCode, actorRoleIds } = record;
  // Once it is known that it ran, the words of failure only confuse.
  if (surelyRan(record) || message === undefined) return md``;
  if (failureCode === "not-authorised") return md`The owner does not let Marshal run commands.`;
  if (failureCode === "key-rejected") return md`The server key is wrong or expired.`;
  if (failureCode === "module-outdated") return md`The game server runs an old version.`;
  return refusalWords(asSentence(cut(message, 200)), status, actorRoleIds);
}

/** The service writes now like this, now like that. */
function asSentence(text: string): string {
  const said = text.trim();
  const begun = `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
  return said === "" || /[.!?…]$/u.test(said) ? begun : `${begun}.`;
}

/** A row that is not a run. */
export function eventLine({ atMs, actorId, actorName, action, text }: AuditEvent): Escaped {
  if (action === "outside-run") {
    const said = md`⚠ **run outside Marshal** by ${inlineName(actorName)}: ${inlineCode(text, 300)}`;
    return md`${said}\n${small("", atMs)}`;
  }
  if (action === "unsure-run") {
    const said = md`❔ **run by ${inlineName(actorName)}**: ${inlineCode(text, 300)}`;
    const why = md`-# Maybe by Marshal: its database was restored from an older copy since.`;
    return md`${said}\n${why}\n${small("", atMs)}`;
  }
  const by = actorId === "" ? inlineName(actorName) : userMention(actorId);
  const what = isAction(action) ? ACTIONS[action] : inlineCode(action);
  // Their text begins with the number of the case.
  const goesOn = CASE_ACTIONS.has(action) ? md`` : md`:`;
  return md`⚙ ${by} ${what}${goesOn} ${eventText(action, cut(text, 300))}\n${small("", atMs)}`;
}

const CASE_ACTIONS: ReadonlySet<string> = new Set(["case-add", "case-edit", "case-revoke"]);

/**
 * Why a run did not simply run. Only a denial of ours names roles, and only such as the person had; all else is the
 * service's words.
 */
export function refusalWords(message: string, status: RunStatus, roleIds: readonly string[]): Escaped {
  return escapeButRoles(cut(message, 800), status === "denied" || status === "failed" ? roleIds : []);
}

/** Where rows that we wrote begin with a mention; words of people come after it. */
const MENTION_FIRST: Readonly<Record<string, RegExp>> = {
  "staff-allow": /^<@&\d+>/,
  "staff-deny": /^<@&\d+>/,
  "account-link": /^<@\d+>/,
  "account-unlink": /^<@\d+>/,
  "account-confirm": /^<@\d+>/,
  "duty-edit": /^<@\d+>/,
  "duty-confirm": /^<@\d+>/,
  "duty-quota-set": /^<@&\d+>/,
  "duty-quota-remove": /^<@&\d+>$/,
  "duty-quota-reset": /^<@&\d+>$/,
  "duty-leave-end": /^<@\d+>$/,
  "duty-leave-decide": /^<@\d+>/,
  "rank-set": /^<@&\d+>/,
  "rank-unset": /^<@&\d+>/,
  "session-setup": /^<#\d+>/,
  "staff-tier": /^(?:<@&\d+> ?)*/,
  "audit-channel": /^<#\d+>$/,
  notices: /^<#\d+>$/,
  "case-channel": /^<#\d+>$/,
  "watch-channel": /^<#\d+>/,
  "stats-weekly": /^<#\d+>$/,
  "panel-add": /^<#\d+>$/,
  "panel-remove": /^<#\d+>$/,
  "default-server": /^<#\d+>/,
};

function eventText(action: string, text: string): Escaped {
  // Rows about feeds and alerts hold what the answer said, in which outside words were escaped.
  if (action.startsWith("feed-") || action.startsWith("alert-")) return markdownOfOurs(text);
  // Which player it was has to stand there; the id stands behind the link.
  if (action.startsWith("history-forget") && /^\d+$/.test(text)) return profile(Number(text));
  const start = Object.hasOwn(MENTION_FIRST, action) ? MENTION_FIRST[action] : undefined;
  return start === undefined ? escapeMarkdown(text) : escapeAfter(text, start);
}

/** The names that rows keep, as people say them. */
const ACTIONS = {
  link: "linked a server",
  unlink: "unlinked a server",
  notices: "set the channel for notices",
  "time-zone": "set the time zone",
  "rename-server": "renamed a server",
  "default-server": "set the default server",
  "feed-add": "added a feed",
  "feed-edit": "changed a feed",
  "feed-remove": "removed a feed",
  "feed-pause": "paused a feed",
  "feed-resume": "resumed a feed",
  "alert-add": "added an alert",
  "alert-edit": "changed an alert",
  "alert-remove": "removed an alert",
  "duty-type-add": "added a duty type",
  "duty-type-remove": "removed a duty type",
  "duty-edit": "changed duty time",
  "duty-confirm": "confirmed duty time",
  "duty-pings": "set who gets pinged",
  "duty-import": "imported duty hours",
  "duty-import-undo": "undid an import of duty hours",
  "duty-quota-set": "set a quota",
  "duty-quota-remove": "removed a quota",
  "duty-quota-reset": "reset a quota",
  "duty-leave-ask": "asked for leave",
  "duty-leave-end": "ended leave",
  "duty-leave-decide": "decided about leave",
  "session-setup": "set up sessions",
  "session-vote": "opened a vote for a session",
  "session-start": "started a session",
  "session-full": "announced that a session is full",
  "session-low": "called for players",
  "session-end": "ended a session",
  "session-cancel": "cancelled a vote or a session",
  "rule-add": "added rule",
  "rule-remove": "removed rule",
  "rule-step": "changed what a rule does",
  "rule-pause": "paused",
  "rule-resume": "resumed",
  "rank-set": "gave a role a rank",
  "rank-apply": "turned ranks on",
  "rank-unset": "took the rank from a role",
  "rank-pause": "paused",
  "staff-allow": "allowed",
  "staff-tier": "chose the roles for a tier",
  "staff-deny": "denied",
  "staff-protect": "protected a player",
  "staff-unprotect": "stopped protecting a player",
  "account-link": "linked a game account",
  "account-unlink": "unlinked a game account",
  "account-confirm": "confirmed a game account",
  "account-import": "linked game accounts from a list",
  "account-import-undo": "undid a list of game accounts",
  "call-claim": "claimed",
  "call-release": "released",
  "call-resolve": "resolved",
  "panel-add": "added a panel",
  "panel-remove": "removed a panel",
  "preset-save": "saved a preset",
  "preset-remove": "deleted a preset",
  "schedule-add": "scheduled",
  "schedule-remove": "removed a schedule",
  "schedule-end": "ended a schedule",
  "audit-channel": "set the audit channel",
  "audit-retention": "set how long the audit is kept",
  "audit-export": "exported the audit",
  "history-positions": "set whether positions are saved",
  "history-retention": "set how long the history is kept",
  "history-forget": "erased a player from the history",
  "history-forget-cases": "erased a player from the cases",
  "history-export": "exported a player's history",
  "call-refused": "was refused",
  "press-refused": "was refused",
  "case-add": "added case",
  "case-edit": "changed case",
  "case-revoke": "revoked case",
  "case-channel": "set the channel for cases",
  "appeal-channel": "set the channel for appeals",
  "appeal-ask": "appealed as",
  "appeal-prove": "confirmed the account of an appeal",
  "appeal-accept": "accepted the appeal of",
  "appeal-refuse": "refused the appeal of",
  "case-tell": "set whether warned players are told in the game",
  "watch-add": "watches",
  "watch-end": "stopped watching",
  "watch-channel": "set the channel for watched players",
  "stats-settings": "changed the statistics settings",
  "stats-weekly": "set the channel for the weekly summary",
  "ban-end-off": "will not lift the ban of",
  "ban-end-held": "left the end of a ban to a Manager",
  "ban-end-remove": "removed the end of a ban",
  "ban-end-let": "let a ban end",
  "ban-ask": "asked for a ban",
  "ban-approve": "approved a ban request",
  "ban-refuse": "refused a ban request",
  "automatic-pause": "paused automatic commands",
  "automatic-resume": "resumed automatic commands",
  refusals: "was refused",
} as const;

/** What somebody configured, by the name that its row keeps. */
export type AuditAction = keyof typeof ACTIONS;

function isAction(action: string): action is AuditAction {
  return Object.hasOwn(ACTIONS, action);
}

function small(actorId: string, atMs: number, why: Escaped = md``): Escaped {
  const when = md`<t:${seconds(atMs)}:R>`;
  const parts = [...(actorId === "" ? [] : [userMention(actorId)]), when, ...(why === "" ? [] : [why])];
  return md`-# ${joined(parts, " · ")}`;
}

export function waitingLine({ record, place, expectedAtMs, heldBy }: RunProgress): Escaped {
  const mark = place === 0 ? "📨" : md`**${place}.**`;
  const when = place === 0 ? "being sent" : md`at <t:${Math.ceil(expectedAtMs / 1000)}:T> or later`;
  const why = place === 0 || heldBy === undefined ? "" : md` · ${HALTED[heldBy]}`;
  return md`${mark} ${commandWithHits(record.text, LONGEST_IN_LINE, hitOf(record))} ${when}\n-# ${userMention(record.actorId)}${HOW[record.origin] ?? ""} · on **${inlineName(record.serverName)}**${why}`;
}

export function deferredLine({ request, expiresAtMs, byId }: DeferredRun): Escaped {
  const until = md`when someone joins, until <t:${seconds(expiresAtMs)}:t>`;
  return md`🚪 ${commandWithHits(request.text, LONGEST_IN_LINE, byId)} ${until}\n-# ${userMention(request.actor.userId)} · on **${inlineName(request.binding.name)}**`;
}

/** Says that a search ended before it had looked at every row. */
export function searchStopped(found: number): Escaped {
  const what = found === 0 ? "Nothing found in" : "Searched";
  return md`-# ${what} the newest entries only. Filter by person, verb, server or days to look further back.`;
}

function seconds(atMs: number): number {
  return Math.floor(atMs / 1000);
}
