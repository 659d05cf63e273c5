import { type Escaped, md } from "../../domain/escaped.ts";
import type { Feed, FeedKind } from "../../domain/guild.ts";
import type { Row, Select } from "../../domain/message.ts";
import { button, type GuideView, type Walk } from "./setup-guide-parts.ts";
import { channelLine, HOW_TO_MEND } from "./standing.ts";

/** The step of the logs: a channel for each kind, with what is missing there. Pure. */

/** Four selects and a row of buttons fill a message; what fewer want stands on a second page. */
const firstPage: readonly FeedKind[] = ["joins", "kills", "modCalls", "commands"];
const secondPage: readonly FeedKind[] = ["emergencyCalls"];

const labels = {
  joins: "Joins and leaves",
  kills: "Kills",
  modCalls: "Moderator calls",
  commands: "Commands",
  emergencyCalls: "Emergency calls",
} as const satisfies Record<FeedKind, string>;

export function logText({ feeds, standingOf }: GuideView): readonly Escaped[] {
  const lines = [...firstPage, ...secondPage].flatMap((kind) => {
    const feed = shownFeed(feeds, kind);
    return feed === undefined ? [] : [feedLine(feed, standingOf(feed.channelId))];
  });
  const isMending = feeds.some(({ channelId }) => standingOf(channelId).kind === "missing");
  return [
    md`Choose a channel for each; what has none is not posted.`,
    ...lines,
    ...(isMending ? [HOW_TO_MEND] : []),
  ];
}

function feedLine({ kind, channelId, state }: Feed, standing: Parameters<typeof channelLine>[2]): Escaped {
  const line = channelLine(md`${labels[kind]}`, channelId, standing);
  return state === "paused" ? md`${line} · ⏸ paused` : line;
}

export function logRows(view: GuideView, walk: Walk): readonly Row[] {
  const id = view.binding?.id ?? "";
  return [
    ...firstPage.map((kind): Row => [logSelect(view, kind)]),
    walk(button("More logs", `guide-more:${id}`), button("Check again", `guide:logs:${id}`)),
  ];
}

export function moreLogRows(view: GuideView): readonly Row[] {
  const id = view.binding?.id ?? "";
  return [
    ...secondPage.map((kind): Row => [logSelect(view, kind)]),
    [button("Back to the logs", `guide:logs:${id}`), button("Next", `guide:notices:${id}`, "primary")],
  ];
}

function logSelect({ binding, feeds }: GuideView, kind: FeedKind): Select {
  const chosen = shownFeed(feeds, kind)?.channelId;
  return {
    ...{ kind: "select", of: "channel", id: `guide-log:${kind}:${binding?.id ?? ""}` },
    ...{ placeholder: `${labels[kind]}: no channel`, minValues: 0, maxValues: 1 },
    ...(chosen === undefined ? {} : { defaultIds: [chosen] }),
  };
}

/** The oldest of a kind: further ones, with filters, belong to `/feed add`. */
export function shownFeed(feeds: readonly Feed[], kind: FeedKind): Feed | undefined {
  return feeds.find((feed) => feed.kind === kind);
}
