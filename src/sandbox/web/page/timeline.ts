import type { MessageView } from "../protocol.ts";
import { custom, h } from "./dom.ts";
import { type FirstStep, firstPage, isFirstPage } from "./first-page.ts";
import { type MessageActions, messageNode } from "./message.ts";
import type { Store } from "./store.ts";
import { daysBetween, formatTime } from "./time.ts";

/** How many messages stand in the page: a channel may hold ten thousand, a person looks at a few dozen. */
const windowSize = 100;
const windowWhileReading = 200;
const nearPx = 400;
const groupWithinMs = 7 * 60_000;

export interface TimelineActions extends MessageActions {
  /** Wants the messages before this one. */
  older(beforeId: string): void;
  /** Wants the newest again. */
  newest(): void;
  /** A button of the first page. */
  begin(step: FirstStep): void;
}

interface Shown {
  readonly view: MessageView;
  readonly grouped: boolean;
  readonly node: HTMLElement;
}

/** The messages of the open channel: a window on them that moves as one scrolls. */
export class Timeline {
  readonly #store: Store;
  readonly #actions: TimelineActions;
  readonly #scroller: HTMLElement;
  readonly #list = custom("discord-messages", { "no-background": true, class: "messages" });
  readonly #start = h("div", { class: "channel-start" });
  readonly #jump = h("button", { type: "button", class: "jump", hidden: true }, "New messages ↓");
  #messages: readonly MessageView[] = [];
  #shown = new Map<string, Shown>();
  #dismissed = new Set<string>();
  #hasOlder = false;
  #hasNewer = false;
  #isLoading = false;
  #isAtBottom = true;
  #lastTopPx = 0;

  constructor(scroller: HTMLElement, store: Store, actions: TimelineActions) {
    this.#scroller = scroller;
    this.#store = store;
    this.#actions = { ...actions, dismiss: (message) => this.#dismiss(message) };
    scroller.tabIndex = 0;
    scroller.append(this.#start, this.#list);
    scroller.after(this.#jump);
    this.#jump.addEventListener("click", () => this.#toNewest());
    scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    // Components render a moment later, and pictures load: the end stays in sight.
    new ResizeObserver(() => this.#toEnd()).observe(this.#list);
    new ResizeObserver(() => this.#toEnd()).observe(scroller);
  }

  /** Another channel, another person, or everything anew. */
  replace(messages: readonly MessageView[], hasOlder: boolean): void {
    this.#shown.clear();
    this.#messages = messages;
    this.#hasOlder = hasOlder;
    this.#hasNewer = false;
    this.#isLoading = false;
    this.#isAtBottom = true;
    this.#list.replaceChildren();
    this.#render();
    this.#pin();
  }

  prepend(messages: readonly MessageView[], hasOlder: boolean): void {
    this.#hasOlder = hasOlder;
    const known = new Set(this.#messages.map(({ id }) => id));
    const all = [...messages.filter(({ id }) => !known.has(id)), ...this.#messages];
    if (all.length > windowWhileReading) this.#hasNewer = true;
    this.#messages = all.slice(0, windowWhileReading);
    void this.#keepingPlace(() => this.#render()).then(() => {
      this.#isLoading = false;
      // Whoever reached the top meanwhile causes no further event there.
      this.#scrolled();
    });
  }

  change(
    added: readonly MessageView[],
    edited: readonly MessageView[],
    deleted: readonly string[],
    skipped: boolean,
  ): void {
    const changes = new Map(edited.map((view) => [view.id, view]));
    const gone = new Set(deleted);
    let next = this.#messages.filter(({ id }) => !gone.has(id)).map((view) => changes.get(view.id) ?? view);
    const isFull = !this.#isAtBottom && next.length + added.length > windowWhileReading;
    if (this.#hasNewer || isFull || (skipped && !this.#isAtBottom)) this.#hasNewer ||= added.length > 0;
    else {
      const known = new Set(next.map(({ id }) => id));
      // A burst that left a hole: what stood before it is older than the hole and would read as if nothing were missing.
      if (skipped) next = [];
      next = [...next, ...added.filter(({ id }) => skipped || !known.has(id))];
      if (this.#isAtBottom && next.length > windowSize) next = next.slice(-windowSize);
      if (skipped || next.length >= windowSize) this.#hasOlder = true;
    }
    this.#messages = next;
    if (this.#isAtBottom) this.#render();
    else void this.#keepingPlace(() => this.#render());
    this.#jump.hidden = this.#isAtBottom || (added.length === 0 && this.#jump.hidden);
    this.#pin();
  }

  /** All anew from what is known: names or colours changed. */
  redraw(): void {
    this.#shown.clear();
    this.#list.replaceChildren();
    this.#render();
    this.#pin();
  }

  /** Other commands can be typed now. */
  refresh(): void {
    this.#startWords();
  }

  toggleLight(isLight: boolean): void {
    this.#list.toggleAttribute("light-theme", isLight);
  }

  #dismiss(message: MessageView): void {
    this.#dismissed.add(message.id);
    this.#messages = this.#messages.filter(({ id }) => id !== message.id);
    this.#render();
  }

  #render(): void {
    const nodes: Node[] = [];
    const shown = new Map<string, Shown>();
    let before: MessageView | undefined;
    for (const view of this.#messages) {
      if (this.#dismissed.has(view.id)) continue;
      const isNewDay = before === undefined || daysBetween(before.createdAtMs, view.createdAtMs) !== 0;
      if (isNewDay) nodes.push(this.#dayNode(view.createdAtMs));
      const grouped = !isNewDay && before !== undefined && follows(before, view);
      const known = this.#shown.get(view.id);
      const isSame = known?.view === view && known.grouped === grouped;
      const node = isSame
        ? known.node
        : messageNode(view, { store: this.#store, actions: this.#actions, grouped });
      shown.set(view.id, { view, grouped, node });
      nodes.push(node);
      before = view;
    }
    this.#shown = shown;
    reconcile(this.#list, nodes);
    this.#startWords();
  }

  #dayNode(atMs: number): HTMLElement {
    return h("div", { class: "day", role: "separator" }, h("span", {}, formatTime(atMs, "D", atMs)));
  }

  #startWords(): void {
    const channel = this.#store.open;
    this.#start.hidden = this.#hasOlder || channel === undefined;
    if (channel === undefined || this.#hasOlder) return;
    if (isFirstPage(channel, this.#store)) {
      // A button that is being pressed stays: it is drawn anew only where other commands or a setup changed it.
      const page = firstPage(this.#store, (step) => this.#actions.begin(step));
      if (this.#start.firstElementChild?.isEqualNode(page) !== true) this.#start.replaceChildren(page);
      return;
    }
    const isDm = channel.type === 1;
    this.#start.replaceChildren(
      h("h2", {}, isDm ? channel.name : `Welcome to #${channel.name}`),
      h("p", {}, isDm ? "What Marshal tells you in person." : `This is the start of #${channel.name}.`),
    );
  }

  #scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const isUp = scrollTop < this.#lastTopPx;
    this.#lastTopPx = scrollTop;
    // Messages that grow push the end away too: only who scrolls up leaves it.
    if (!this.#hasNewer && scrollHeight - scrollTop - clientHeight < 40) this.#isAtBottom = true;
    else if (isUp || this.#hasNewer) this.#isAtBottom = false;
    if (this.#isAtBottom) this.#jump.hidden = true;
    else if (this.#hasNewer) this.#jump.hidden = false;
    const first = this.#messages[0];
    if (scrollTop < nearPx && this.#hasOlder && !this.#isLoading && first !== undefined) {
      this.#isLoading = true;
      this.#actions.older(first.id);
    }
    if (this.#hasNewer && scrollHeight - scrollTop - clientHeight < 4) this.#toNewest();
  }

  #toNewest(): void {
    this.#isAtBottom = true;
    this.#jump.hidden = true;
    if (this.#hasNewer) this.#actions.newest();
    else this.#pin();
  }

  /** Keeps the end in sight, now and once the components have filled themselves. */
  #pin(): void {
    this.#toEnd();
    void this.#allRendered().then(() => this.#toEnd());
  }

  #toEnd(): void {
    if (!this.#isAtBottom) return;
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#lastTopPx = this.#scroller.scrollTop;
  }

  async #allRendered(): Promise<void> {
    await Promise.all([...this.#list.querySelectorAll("discord-message, discord-embed")].map(rendered));
  }

  /** What one reads stays where it is on the screen while messages come and go above it. */
  async #keepingPlace(change: () => void): Promise<void> {
    const top = this.#scroller.getBoundingClientRect().top;
    const anchor = [...this.#shown.values()].find(
      ({ node }) => node.getBoundingClientRect().bottom > top,
    )?.node;
    const before = anchor?.getBoundingClientRect().top ?? 0;
    change();
    await this.#allRendered();
    if (anchor?.isConnected === true) this.#scroller.scrollTop += anchor.getBoundingClientRect().top - before;
  }
}

/** The components fill themselves in a microtask or two, still before anything is painted. */
async function rendered(element: Element): Promise<unknown> {
  return "updateComplete" in element ? await element.updateComplete : undefined;
}

function follows(before: MessageView, view: MessageView): boolean {
  return (
    before.authorId === view.authorId &&
    view.usedBy === undefined &&
    before.isEphemeral === view.isEphemeral &&
    view.createdAtMs - before.createdAtMs < groupWithinMs
  );
}

/** Makes the children these, moving none that stands where it should: a moved component loses its state. */
function reconcile(parent: Element, nodes: readonly Node[]): void {
  const wanted = new Set(nodes);
  for (const child of [...parent.childNodes]) if (!wanted.has(child)) child.remove();
  let at: ChildNode | null = parent.firstChild;
  for (const node of nodes) {
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
  }
}
