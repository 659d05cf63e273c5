import type { BotView, BucketView, PanelView } from "../panel-view.ts";
import { h } from "./dom.ts";
import type { Store } from "./store.ts";
import { relativeTime } from "./time.ts";

/** What the bot says of itself, and which of its processes does what. */
export function botNodes(panel: PanelView, store: Store): readonly HTMLElement[] {
  const { process, processes, bot, nowMs } = panel;
  if (processes.length > 1)
    return [processList(panel), ...(bot === undefined ? [] : ownWords(bot, store, nowMs))];
  const isStuck = process.isRunning && bot === undefined;
  const status = h(
    "p",
    { class: "status" },
    h("span", {
      class: `lamp ${!process.isRunning ? "is-off" : isStuck ? "is-waiting" : "is-on"}`,
      "aria-hidden": "true",
    }),
    !process.isRunning
      ? "The bot is not running"
      : isStuck
        ? "The bot is starting…"
        : `Running, process ${process.pid ?? ""}`,
  );
  return bot === undefined ? [status] : [status, ...ownWords(bot, store, nowMs)];
}

/** Which process serves, and what the others do. */
function processList({ processes }: PanelView): HTMLElement {
  return h(
    "ul",
    { class: "processes" },
    ...processes.map(({ number, pid, part }) => {
      const lamp = pid === undefined ? "is-off" : part.startsWith("serves") ? "is-on" : "is-waiting";
      return h(
        "li",
        { class: "status" },
        h("span", { class: `lamp ${lamp}`, "aria-hidden": "true" }),
        `Process ${number}: ${part}`,
      );
    }),
  );
}

function ownWords(bot: BotView, store: Store, nowMs: number): readonly HTMLElement[] {
  return [
    haltNode(bot, nowMs),
    facts(bot),
    buckets(bot.buckets, nowMs),
    late(bot, store, nowMs),
    polls(bot, nowMs),
  ].filter((node) => node !== undefined);
}

function haltNode({ halt }: BotView, nowMs: number): HTMLElement | undefined {
  if (halt === undefined) return undefined;
  const until = halt.untilMs === undefined ? "" : `, asks again ${relativeTime(halt.untilMs, nowMs)}`;
  return h("p", { class: "halt" }, `It sends nothing: ${halt.reason.replaceAll("-", " ")}${until}`);
}

function facts(bot: BotView): HTMLElement {
  const waiting = bot.waiting
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${count} ${name}`)
    .join(", ");
  const rows: readonly (readonly [string, string | undefined])[] = [
    [
      "Discord",
      bot.discordReady === undefined ? undefined : bot.discordReady ? "connected" : "not connected",
    ],
    ["Requests in flight", bot.inFlight === undefined ? undefined : String(bot.inFlight)],
    ["Waiting to be sent", waiting === "" ? "nothing" : waiting],
    [
      "Commands queued",
      bot.runsWaiting === undefined
        ? undefined
        : `${bot.runsWaiting}${(bot.runsRunning ?? 0) > 0 ? ", one running" : ""}`,
    ],
    [
      "To be posted",
      bot.undelivered === undefined
        ? undefined
        : bot.undelivered === 1
          ? "1 entry"
          : `${bot.undelivered} entries`,
    ],
    ["Cards to update", (bot.cardsToShow ?? 0) === 0 ? undefined : String(bot.cardsToShow)],
    ["Rejected keys", (bot.parkedKeys ?? 0) === 0 ? undefined : String(bot.parkedKeys)],
  ];
  return h(
    "dl",
    { class: "facts" },
    ...rows.flatMap(([name, value]) =>
      value === undefined ? [] : [h("div", {}, h("dt", {}, name), h("dd", {}, value))],
    ),
  );
}

function buckets(list: readonly BucketView[], nowMs: number): HTMLElement | undefined {
  if (list.length === 0) return undefined;
  return h(
    "ul",
    { class: "buckets", "aria-label": "Limits" },
    ...list.slice(0, 6).map(({ name, limit, remaining, resetAtMs }) => {
      // Nothing is known of a limit before the first answer of the service.
      if (limit === undefined)
        return h(
          "li",
          { class: "is-unknown" },
          name === "unknown" ? "No limit seen yet" : `limit ${name}: not seen yet`,
        );
      const share =
        limit === undefined || limit === 0 ? 0 : Math.max(0, Math.min(1, (remaining ?? 0) / limit));
      const reset =
        resetAtMs === undefined || resetAtMs < nowMs ? "" : `, ${Math.ceil((resetAtMs - nowMs) / 1_000)} s`;
      return h(
        "li",
        {},
        h("span", { class: "bucket-name" }, `limit ${name}`),
        h(
          "span",
          { class: "meter", "aria-hidden": "true" },
          h("i", { style: `width: ${Math.round(share * 100)}%` }),
        ),
        h("span", { class: "bucket-text" }, `${remaining ?? "?"} of ${limit ?? "?"} left${reset}`),
      );
    }),
  );
}

function late(bot: BotView, store: Store, nowMs: number): HTMLElement | undefined {
  if (bot.lateFeeds.length === 0) return undefined;
  return h(
    "ul",
    { class: "late" },
    ...bot.lateFeeds.slice(0, 4).map(({ kind, channelId, undelivered, lateSinceMs }) => {
      const where = store.channel(channelId)?.name ?? "a channel that is gone";
      const since = lateSinceMs === undefined ? "" : `, fell behind ${relativeTime(lateSinceMs, nowMs)}`;
      return h("li", {}, `${kind} in #${where}: ${undelivered} wait${since}`);
    }),
  );
}

function polls(bot: BotView, nowMs: number): HTMLElement | undefined {
  if (bot.polls.length === 0) return undefined;
  return h(
    "ul",
    { class: "polls", "aria-label": "Last polls" },
    ...bot.polls
      .slice(0, 3)
      .map(({ atMs, outcome, players }) =>
        h(
          "li",
          { class: outcome === "ok" ? undefined : "is-bad" },
          `Last poll ${relativeTime(atMs, nowMs)}: ${outcome}${players === undefined ? "" : `, ${players} players`}`,
        ),
      ),
  );
}
