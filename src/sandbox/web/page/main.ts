import type { Actor, Answer, Given, MessageView } from "../protocol.ts";
import type { Pressed } from "./components.ts";
import { Composer } from "./composer.ts";
import { Connection, type Wish } from "./connection.ts";
import { openModal } from "./dialog.ts";
import { type Child, h, icon, icons, place } from "./dom.ts";
import type { FirstStep } from "./first-page.ts";
import { tickRelativeTimes } from "./markdown-dom.ts";
import { sidebar } from "./sidebar.ts";
import { patchComponents } from "./skyra.ts";
import { markStillness } from "./stillness.ts";
import { Store } from "./store.ts";
import { Theme } from "./theme.ts";
import { Timeline } from "./timeline.ts";
import { TownPanel } from "./town-panel.ts";

/** The page: one store, the parts that show it, and the socket that fills it. */
class Page {
  readonly #store = new Store();
  readonly #app = place("app");
  readonly #banner = place("banner");
  readonly #connection = new Connection({
    hello: () => {
      const channel = this.#store.open?.name ?? wantedChannel();
      return { type: "hello", actor: this.#store.actor, ...(channel === undefined ? {} : { channel }) };
    },
    heard: (answer) => this.#heard(answer),
    changed: (isOpen) => this.#connected(isOpen),
  });
  readonly #timeline = new Timeline(place("timeline"), this.#store, {
    press: (message, pressed) => this.#press(message, pressed),
    dismiss: () => undefined,
    older: (beforeId) => this.#connection.tell({ type: "older", channelId: this.#openId, beforeId }),
    newest: () => this.#connection.tell({ type: "newest", channelId: this.#openId }),
    begin: (step) => void this.#begin(step),
  });
  readonly #theme = new Theme((isLight) => this.#themed(isLight));
  readonly #composer = new Composer(this.#store, {
    post: (text) => this.#act({ type: "post", channelId: this.#openId, text }),
    slash: (line, options) => this.#act({ type: "slash", channelId: this.#openId, line, options }),
    autocomplete: async (line, options, focused) => {
      const reply = await this.#connection.ask({
        type: "autocomplete",
        channelId: this.#openId,
        line,
        options,
        focused,
      });
      return reply.choices ?? [];
    },
  });
  readonly #panel = new TownPanel(place("panel"), this.#store, {
    pull: async (id) => void (await this.#act({ type: "lever", id })),
    close: () => this.#app.classList.remove("shows-panel"),
  });

  start(): void {
    const params = new URLSearchParams(location.search);
    const actor = params.get("as");
    if (actor === "owner" || actor === "moderator" || actor === "member") this.#store.actor = actor;
    this.#theme.start();
    place("composer").append(this.#composer.element);
    place("shade").addEventListener("click", () => this.#closeDrawers());
    document.addEventListener("keydown", (event) => this.#key(event));
    setInterval(() => tickRelativeTimes(document), 1_000);
    markStillness(place("timeline"));
    this.#draw();
    this.#connection.start();
  }

  get #openId(): string {
    return this.#store.openId ?? "";
  }

  #connected(isOpen: boolean): void {
    document.documentElement.dataset.connected = String(isOpen);
    this.#banner.hidden = isOpen;
    this.#banner.textContent = isOpen ? "" : "The sandbox is not running. Trying again…";
  }

  #heard(answer: Exclude<Answer, { readonly type: "reply" }> | Answer): void {
    const store = this.#store;
    switch (answer.type) {
      case "world":
        store.world = answer.world;
        store.actor = answer.world.actor;
        this.#draw();
        return;
      case "channel":
        store.openId = answer.channelId;
        store.commands = answer.commands;
        store.unread.delete(answer.channelId);
        this.#draw();
        this.#timeline.replace(answer.messages, answer.hasOlder);
        return;
      case "older":
        if (answer.channelId === store.openId) this.#timeline.prepend(answer.messages, answer.hasOlder);
        return;
      case "commands":
        if (answer.channelId !== store.openId) return;
        store.commands = answer.commands;
        this.#composer.refresh();
        this.#timeline.refresh();
        return;
      case "changes":
        if (answer.channelId !== store.openId) return;
        this.#timeline.change(answer.added, answer.edited, answer.deleted, answer.skipped);
        return;
      case "unread": {
        const pings = (store.unread.get(answer.channelId)?.pings ?? 0) + (answer.pings ? 1 : 0);
        const isNew = !store.unread.has(answer.channelId) || answer.pings;
        store.unread.set(answer.channelId, { pings });
        if (isNew) this.#drawSidebar();
        return;
      }
      case "panel":
        store.panel = answer.panel;
        this.#panel.show(answer.panel);
        return;
      case "reply":
        return;
    }
  }

  #draw(): void {
    this.#drawSidebar();
    this.#drawTop();
    this.#composer.refresh();
  }

  #drawSidebar(): void {
    const nav = place("sidebar");
    const focused = nav.contains(document.activeElement) ? focusKey(document.activeElement) : undefined;
    const scrolled = nav.querySelector(".channels")?.scrollTop ?? 0;
    nav.replaceChildren(
      ...sidebar(this.#store, {
        open: (channelId) => this.#open(channelId),
        actAs: (actor) => this.#actAs(actor),
        toggleLight: () => this.#theme.toggle(),
      }),
    );
    const list = nav.querySelector(".channels");
    if (list !== null) list.scrollTop = scrolled;
    if (focused !== undefined) nav.querySelector<HTMLElement>(focused)?.focus();
  }

  #drawTop(): void {
    const channel = this.#store.open;
    const isThread = channel !== undefined && channel.type > 10;
    const parent = isThread ? this.#store.channel(channel.parentId ?? "") : undefined;
    const toggle = (name: "shows-sidebar" | "shows-panel", attributes: object, ...nodes: readonly Child[]) =>
      h(
        "button",
        { type: "button", ...attributes, onclick: () => this.#app.classList.toggle(name) },
        ...nodes,
      );
    const town = { class: "plain panel-toggle", title: "The town and its levers" };
    place("top").replaceChildren(
      toggle(
        "shows-sidebar",
        { class: "plain only-narrow", title: "Channels", "aria-label": "Channels" },
        icon(icons.menu),
      ),
      icon(channel?.type === 1 ? icons.at : isThread ? icons.thread : icons.hash),
      h(
        "h1",
        { id: "channel-title" },
        parent === undefined ? (channel?.name ?? "") : `${parent.name} › ${channel?.name ?? ""}`,
      ),
      toggle("shows-panel", town, icon(icons.town), "Levers"),
    );
    document.title = channel === undefined ? "Marshal sandbox" : `#${channel.name} | Marshal sandbox`;
  }

  #open(channelId: string): void {
    this.#closeDrawers();
    this.#connection.tell({ type: "open", channelId });
    this.#composer.focus();
  }

  #actAs(actor: Actor): void {
    this.#store.unread.clear();
    this.#connection.tell({ type: "act-as", actor });
  }

  #themed(isLight: boolean): void {
    this.#timeline.toggleLight(isLight);
    // The components ask for the theme once, when they are made.
    this.#timeline.redraw();
  }

  /** One of the first page's buttons. */
  async #begin(step: FirstStep): Promise<void> {
    if (step.as !== undefined && step.as !== this.#store.actor) this.#actAs(step.as);
    if (step.lever !== undefined) {
      const channel = this.#store.channels.find(({ name }) => name === step.channel);
      if (channel !== undefined) this.#open(channel.id);
      await this.#act({ type: "lever", id: step.lever });
      return;
    }
    const { line, options = {} } = step;
    const error = await this.#act({ type: "slash", channelId: this.#openId, line, options });
    if (error !== undefined) this.#composer.say(error);
  }

  async #press(message: MessageView, { customId, values }: Pressed): Promise<void> {
    const target = { messageId: message.id, channelId: message.channelId, customId };
    const error = await this.#act(
      values === undefined ? { type: "click", ...target } : { type: "select", ...target, values },
    );
    if (error !== undefined) this.#composer.say(error);
  }

  /** Does it, opens the form that it answers with, and gives what went wrong, in words. */
  async #act(wish: Wish): Promise<string | undefined> {
    const reply = await this.#connection.ask(wish);
    const { modal } = reply;
    if (modal !== undefined)
      openModal(modal, this.#store, (values: Readonly<Record<string, Given>>) =>
        this.#act({ type: "submit", modalId: modal.id, values }),
      );
    if (reply.error !== undefined && wish.type === "lever") this.#composer.say(reply.error);
    return reply.error;
  }

  #closeDrawers(): void {
    this.#app.classList.remove("shows-panel", "shows-sidebar");
  }

  #key(event: KeyboardEvent): void {
    if (event.key === "Escape") this.#closeDrawers();
    const isTyping =
      event.target instanceof HTMLElement &&
      event.target.matches("input, textarea, button, a, [role=button]");
    // As in Discord: whoever begins to type means the box.
    if (!isTyping && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey)
      this.#composer.focus();
  }
}

function wantedChannel(): string | undefined {
  return new URLSearchParams(location.search).get("channel") ?? undefined;
}

/** How to find the same button again after the list was drawn anew. */
function focusKey(element: Element | null): string | undefined {
  if (!(element instanceof HTMLElement)) return undefined;
  const { channel, actor } = element.dataset;
  if (channel !== undefined) return `[data-channel="${CSS.escape(channel)}"]`;
  return actor === undefined ? undefined : `[data-actor="${CSS.escape(actor)}"]`;
}

patchComponents();
new Page().start();
