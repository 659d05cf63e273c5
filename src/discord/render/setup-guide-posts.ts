import type { AlertKind } from "../../domain/alert-kinds.ts";
import { channelMention, type Escaped, md } from "../../domain/escaped.ts";
import type { Row } from "../../domain/message.ts";
import { DEFAULT_ZONE } from "../../domain/time-zones.ts";
import { alertLine, alertOffer } from "./alert-cards.ts";
import { channelLine, HOW_TO_MEND, publicLines } from "./channel-access.ts";
import { button, channelSelect, type GuidePart, type GuideView, type Walk } from "./setup-guide-parts.ts";
import { zoneCode } from "./setup-guide-zone.ts";
import { NO_CASES_KEPT } from "./setup-lines.ts";

/** The steps that ask for nothing but a channel: what is posted there is the step's own. Pure. */

/** What three alerts are worth starting with: nobody answers, somebody rampages, somebody punishes too much. */
const STARTER_ALERTS: readonly AlertKind[] = ["calls", "kills", "punishments"];

export const NOTICES: GuidePart = {
  title: md`Where notices go`,
  short: "Notices",
  isDone: ({ settings }) => settings.noticeChannelId !== undefined,
  channelIds: (view) => noticesOf(view),
  text: (view) => [
    md`Marshal tells your staff when a key stops working, the game service blocks it, or a log stops. Without a channel, whoever linked the server gets a direct message.`,
    ...lines(view, md`Notices`, noticesOf(view)),
    ...publicLines(noticesOf(view), view.accessOf),
  ],
  rows: (view, walk) => channelRows(view, walk, { step: "notices", chosen: noticesOf(view) }),
};

export const CASES: GuidePart = {
  title: md`Where cases go`,
  short: "Cases",
  isDone: ({ settings }) => settings.caseChannelId !== undefined,
  channelIds: (view) => casesOf(view),
  text: (view) => [
    !view.cases.isKept
      ? md`⚠ ${NO_CASES_KEPT}`
      : md`Each kick, ban and jail becomes a numbered case by itself. Pick a staff channel to post them in. Everyone who can see that channel can read them.`,
    ...lines(view, md`Cases`, casesOf(view)),
    ...publicLines(casesOf(view), view.accessOf),
  ],
  rows: (view, walk) =>
    // A channel that was chosen before can still be taken away.
    !view.cases.isKept && casesOf(view).length === 0
      ? [walk()]
      : channelRows(view, walk, { step: "cases", chosen: casesOf(view) }),
};

export const ALERTS: GuidePart = {
  title: md`Three alerts to start with`,
  short: "Alerts",
  isDone: ({ alerts }) => alerts.length > 0,
  channelIds: ({ alerts }) => alerts.map(({ channelId }) => channelId),
  text: (view) => {
    const { alerts, binding } = view;
    const missing = missingAlerts(view);
    const channelIds = alerts.map(({ channelId }) => channelId);
    const closed = closedChannels(view, channelIds);
    const moved = movedFrom(view);
    return [
      ...(missing.length === 0 ? [] : [md`Pick a staff channel. Marshal posts there about:`]),
      ...missing.map((kind) => md`• ${alertOffer(kind)}`),
      ...alerts.slice(0, MOST_SHOWN).map((alert) => {
        const sign = closed.includes(alert.channelId) ? "⚠" : "✅";
        return md`${sign} ${alertLine(alert, binding === undefined ? [] : [binding])}`;
      }),
      ...lines(view, md`Alerts`, closed),
      ...publicLines(channelIds, view.accessOf),
      ...(moved === undefined
        ? []
        : [md`Pick another channel to move the alerts of ${channelMention(moved)} there.`]),
      ...(alerts.length === 0
        ? []
        : [md`-# Change them with \`/alert edit\`, remove them with \`/alert remove\`.`]),
    ];
  },
  rows: (view, walk) => {
    const id = view.binding?.id ?? "";
    const isWrong =
      closedChannels(
        view,
        view.alerts.map(({ channelId }) => channelId),
      ).length > 0;
    const onward = walk(...(isWrong ? [button("Check again", `guide:alerts:${id}`)] : []));
    const chosen = listed(movedFrom(view));
    const select = channelSelect({ id: `guide-alerts:${id}`, placeholder: "A channel for alerts", chosen });
    // Alerts are removed one by one, by `/alert remove`: a choice of no channel would only be undone here.
    return [[{ ...select, minValues: 1 }], onward];
  },
};

export const PANEL: GuidePart = {
  title: md`A live panel`,
  short: "Panel",
  isDone: ({ panelChannelIds }) => panelChannelIds.length > 0,
  channelIds: ({ panelChannelIds }) => panelChannelIds,
  text: (view) => [
    md`One message that shows the server: players, staff, open calls. It updates itself. Pick a channel for it.`,
    ...lines(view, md`Panel`, view.panelChannelIds),
  ],
  rows: (view, walk) => channelRows(view, walk, { step: "panel", chosen: view.panelChannelIds }),
};

export const WEEKLY: GuidePart = {
  title: md`A summary each week`,
  short: "Weekly",
  isDone: ({ weeklyChannelId }) => weeklyChannelId !== undefined,
  channelIds: (view) => weeklyOf(view),
  text: (view) => [
    md`Every Monday at 9:00 (${zoneCode(view.settings.timeZone ?? DEFAULT_ZONE)}): how full the server was, how fast calls were answered, and when staff were missing. Pick a channel for it.`,
    ...lines(view, md`Weekly summary`, weeklyOf(view)),
  ],
  rows: (view, walk) => channelRows(view, walk, { step: "weekly", chosen: weeklyOf(view) }),
};

/** Of an odd community with many: the rest stands in `/alert list`. */
const MOST_SHOWN = 10;

/** The channel whose alerts another choice moves; undefined: a choice adds what is missing, and moves none. */
export function movedFrom({ alerts }: Pick<GuideView, "alerts">): string | undefined {
  return missingAlerts({ alerts }).length > 0 ? undefined : alerts[0]?.channelId;
}

/** Of the three to start with, those that are not there. */
export function missingAlerts({ alerts }: Pick<GuideView, "alerts">): readonly AlertKind[] {
  return STARTER_ALERTS.filter((wanted) => alerts.every(({ kind }) => kind !== wanted));
}

const noticesOf = ({ settings }: GuideView) => listed(settings.noticeChannelId);
const casesOf = ({ settings }: GuideView) => listed(settings.caseChannelId);
const weeklyOf = ({ weeklyChannelId }: GuideView) => listed(weeklyChannelId);

/** Those of them that take no message now, each once. */
function closedChannels({ accessOf }: GuideView, channelIds: readonly string[]): readonly string[] {
  return [...new Set(channelIds)].filter((id) => accessOf(id).kind !== "open");
}

function listed(channelId: string | undefined): readonly string[] {
  return channelId === undefined ? [] : [channelId];
}

function lines({ accessOf }: GuideView, what: Escaped, chosen: readonly string[]): readonly Escaped[] {
  const isMending = chosen.some((id) => accessOf(id).kind === "missing");
  return [...chosen.map((id) => channelLine(what, id, accessOf(id))), ...(isMending ? [HOW_TO_MEND] : [])];
}

function channelRows(
  view: GuideView,
  walk: Walk,
  {
    step,
    chosen,
  }: { readonly step: "notices" | "cases" | "panel" | "weekly"; readonly chosen: readonly string[] },
): readonly Row[] {
  const id = view.binding?.id ?? "";
  const isWrong = closedChannels(view, chosen).length > 0;
  return [
    [channelSelect({ id: `guide-${step}:${id}`, placeholder: `${PLACEHOLDERS[step]}: no channel`, chosen })],
    walk(...(isWrong ? [button("Check again", `guide:${step}:${id}`)] : [])),
  ];
}

const PLACEHOLDERS = {
  notices: "Notices",
  cases: "Cases",
  panel: "Panel",
  weekly: "Weekly summary",
} as const;
