import type { BotView, BucketView, LeverView, PanelView } from "../protocol.ts";
import { h, icon, icons } from "./dom.ts";
import type { Store } from "./store.ts";
import { formatTime, relativeTime } from "./time.ts";

const groupWords: Readonly<Record<LeverView["group"], string>> = {
  town: "In the town",
  service: "Break the game service",
  discord: "Break Discord",
  bot: "The bot",
};

/** The panel at the right: how the town is, what can be pulled, and what the bot does about it. */
export class TownPanel {
  readonly #store: Store;
  readonly #pull: (id: string) => Promise<void>;
  readonly #state = h("section", { class: "bot-state", "aria-live": "off" });
  readonly #town = h("section", {});
  readonly #levers = h("section", { class: "levers" });
  readonly #log = h("section", {});
  readonly #buttons = new Map<string, HTMLButtonElement>();
  readonly #key = h("code", { class: "key" });

  constructor(root: HTMLElement, store: Store, actions: { pull(id: string): Promise<void>; close(): void }) {
    this.#store = store;
    this.#pull = actions.pull;
    const close = h(
      "button",
      { type: "button", class: "plain panel-close", "aria-label": "Close the panel", onclick: actions.close },
      icon(icons.close),
    );
    root.append(
      h("header", {}, h("h1", {}, "The town and its levers"), close),
      h("div", { class: "panel-parts" }, this.#town, this.#state, this.#levers, this.#log),
    );
  }

  show(panel: PanelView): void {
    this.#showTown(panel);
    this.#state.replaceChildren(h("h2", {}, "What the bot says of itself"), ...botNodes(panel, this.#store));
    this.#showLevers(panel.levers);
    this.#log.replaceChildren(
      h("h2", {}, "What happened"),
      h(
        "ol",
        { class: "log" },
        ...panel.log
          .slice(-14)
          .toReversed()
          .map(({ atMs, who, text, isBad }) =>
            h(
              "li",
              { class: isBad ? "is-bad" : undefined },
              h("time", {}, formatTime(atMs, "T", atMs)),
              h("span", { class: `who who-${who}` }, who),
              h("span", { class: "log-text" }, text),
            ),
          ),
      ),
    );
  }

  #showTown({ town, service }: PanelView): void {
    if (this.#key.textContent !== town.key) this.#key.textContent = town.key;
    const copy = h(
      "button",
      { type: "button", class: "plain", title: "Copy the key", "aria-label": "Copy the key" },
      icon(icons.copy),
    );
    copy.addEventListener("click", () => void navigator.clipboard.writeText(town.key));
    this.#town.replaceChildren(
      h(
        "div",
        { class: "town-name" },
        h("strong", {}, town.name),
        h(
          "span",
          {},
          `${town.players} of ${town.maxPlayers} players${town.queue > 0 ? `, ${town.queue} waiting` : ""}`,
        ),
      ),
      h(
        "div",
        { class: "key-row", title: "Paste it into /setup" },
        h("span", {}, "Server key"),
        this.#key,
        copy,
      ),
      h(
        "ol",
        { class: "happenings" },
        ...town.happenings
          .slice(0, 5)
          .map(({ atMs, text }) =>
            h("li", {}, h("time", {}, formatTime(atMs, "T", atMs)), h("span", {}, text)),
          ),
      ),
      h("p", { class: "figures" }, figures(service)),
    );
  }

  /** Buttons stay the same elements: one that has the focus must not lose it each second. */
  #showLevers(levers: readonly LeverView[]): void {
    if (levers.some(({ id }) => !this.#buttons.has(id))) this.#makeLevers(levers);
    for (const { id, isOn, isDisabled, isFault } of levers) {
      const button = this.#buttons.get(id);
      if (button === undefined) continue;
      button.disabled = isDisabled;
      button.setAttribute("aria-pressed", String(isOn));
      button.classList.toggle("is-fault", isOn && isFault);
    }
  }

  #makeLevers(levers: readonly LeverView[]): void {
    this.#buttons.clear();
    const groups = [...new Set(levers.map(({ group }) => group))];
    this.#levers.replaceChildren(
      ...groups.flatMap((group) => {
        const own = levers.filter((lever) => lever.group === group);
        const traffic = own.filter(({ id }) => id.startsWith("traffic-"));
        const rest = own.filter((lever) => !traffic.includes(lever));
        return [
          h("h2", {}, groupWords[group]),
          traffic.length > 0 &&
            h(
              "div",
              { class: "segments", role: "group", "aria-label": "Traffic" },
              ...traffic.map((one) => this.#leverNode(one)),
            ),
          h("div", { class: "lever-row" }, ...rest.map((one) => this.#leverNode(one))),
        ].filter((node) => node !== false);
      }),
    );
  }

  #leverNode({ id, label, hint }: LeverView): HTMLElement {
    const button = h("button", { type: "button", class: "lever", title: hint, "data-lever": id }, label);
    button.addEventListener("click", () => void this.#pull(id));
    this.#buttons.set(id, button);
    return button;
  }
}

function figures({ requests, answers429, avoidable, executed }: PanelView["service"]): string {
  const commands = `${executed} ${executed === 1 ? "command" : "commands"} ran`;
  return `The service counted ${requests} requests, ${answers429} × 429, ${avoidable} avoidable; ${commands}.`;
}

function botNodes(panel: PanelView, store: Store): readonly HTMLElement[] {
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
      const since = lateSinceMs === undefined ? "" : `, late since ${relativeTime(lateSinceMs, nowMs)}`;
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
