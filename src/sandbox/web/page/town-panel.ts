import type { LeverView, PanelView } from "../panel-view.ts";
import { botNodes } from "./bot-panel.ts";
import { h, icon, icons } from "./dom.ts";
import type { Store } from "./store.ts";
import { formatTime } from "./time.ts";

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
    this.#state.replaceChildren(h("h2", {}, "The bot's own state"), ...botNodes(panel, this.#store));
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
