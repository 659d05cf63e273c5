import { type Escaped, md } from "../../domain/escaped.ts";
import { FEED_KINDS, type FeedKind, feedKind, feedLabel } from "../../domain/feed-kinds.ts";
import type { Feed } from "../../domain/guild.ts";
import type { Row, Select } from "../../domain/message.ts";
import { channelLine, HOW_TO_MEND, publicLogLines } from "./channel-access.ts";
import { button, channelSelect, type GuideView, type Walk } from "./setup-guide-parts.ts";

/** The step of the logs: a channel for each kind, with what is missing there. Pure. */

/** Four selects and a row of buttons fill a message; what fewer want stands on a second page. */
const FIRST_PAGE = FEED_KINDS.filter((kind) => feedKind(kind).isCommon === true);
const SECOND_PAGE = FEED_KINDS.filter((kind) => feedKind(kind).isCommon !== true);

export function logText({ feeds, accessOf }: GuideView): readonly Escaped[] {
  const shown = [...FIRST_PAGE, ...SECOND_PAGE].flatMap((kind) => shownFeed(feeds, kind) ?? []);
  const isMending = feeds.some(({ channelId }) => accessOf(channelId).kind === "missing");
  return [
    md`Pick a channel for each log. Logs without a channel are off.`,
    ...shown.map((feed) => feedLine(feed, accessOf(feed.channelId))),
    ...(isMending ? [HOW_TO_MEND] : []),
    ...publicLogLines(shown, accessOf),
  ];
}

/** A log, its channel, and what is missing there. */
export function feedLine(
  { kind, channelId, state }: Feed,
  access: Parameters<typeof channelLine>[2],
): Escaped {
  const line = channelLine(feedLabel(kind), channelId, access);
  return state === "paused" ? md`${line} · ⏸ paused` : line;
}

export function logRows(view: GuideView, walk: Walk): readonly Row[] {
  const id = view.binding?.id ?? "";
  // A fourth button would not fit the row of a phone, and where nothing is missing there is nothing to check.
  const again = isAnyShut(view) ? [button("Check again", `guide:logs:${id}`)] : [];
  return [
    ...FIRST_PAGE.map((kind): Row => [logSelect(view, kind)]),
    walk(button("More logs", `guide-more:${id}`), ...again),
  ];
}

/** Back leads to the first page. */
export function moreLogRows(view: GuideView, walk: Walk): readonly Row[] {
  const id = view.binding?.id ?? "";
  const again = isAnyShut(view) ? [button("Check again", `guide-more:${id}`)] : [];
  return [
    ...SECOND_PAGE.map((kind): Row => [logSelect(view, kind)]),
    [button("Back", `guide:logs:${id}`), ...again, ...walk().slice(-1)],
  ];
}

function isAnyShut({ feeds, accessOf }: GuideView): boolean {
  return feeds.some(({ channelId }) => accessOf(channelId).kind !== "open");
}

function logSelect({ binding, feeds }: GuideView, kind: FeedKind): Select {
  const chosen = shownFeed(feeds, kind);
  return channelSelect({
    id: `guide-log:${kind}:${binding?.id ?? ""}`,
    placeholder: `${feedLabel(kind)}: no channel`,
    chosen: chosen === undefined ? [] : [chosen.channelId],
  });
}

/** The oldest of a kind: further ones, with filters, belong to `/feed add`. */
export function shownFeed(feeds: readonly Feed[], kind: FeedKind): Feed | undefined {
  return feeds.find((feed) => feed.kind === kind);
}
