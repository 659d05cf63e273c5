import { h, icon, icons } from "./dom.ts";

export interface Row {
  readonly label: string;
  readonly description?: string | undefined;
  readonly mark?: "hash" | "at" | "thread" | undefined;
  readonly isChosen?: boolean;
}

let made = 0;

/** A list to choose from, steered by the keys of the input that it belongs to (`aria-activedescendant`). */
export class Listbox {
  readonly element = h("div", { class: "listbox", role: "listbox", id: `listbox-${++made}`, hidden: true });
  readonly #choose: (index: number) => void;
  #rows: readonly Row[] = [];
  #active = -1;

  constructor(choose: (index: number) => void) {
    this.#choose = choose;
    // Pressing must not take the focus away from the input.
    this.element.addEventListener("mousedown", (event) => event.preventDefault());
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  get active(): number {
    return this.#active;
  }

  /** Shows rows; `active` is the one that Enter would take, -1 for none. */
  show(rows: readonly Row[], active: number): void {
    this.#rows = rows;
    this.#active = Math.min(active, rows.length - 1);
    this.element.hidden = rows.length === 0;
    this.element.replaceChildren(...rows.map((row, index) => this.#node(row, index)));
    this.#mark();
  }

  hide(): void {
    this.show([], -1);
  }

  move(by: 1 | -1): void {
    const count = this.#rows.length;
    if (count === 0) return;
    this.#active = this.#active < 0 ? (by === 1 ? 0 : count - 1) : (this.#active + by + count) % count;
    this.#mark();
  }

  /** For `aria-activedescendant`. */
  get activeId(): string | undefined {
    return this.#active < 0 ? undefined : `${this.element.id}-${this.#active}`;
  }

  #node(row: Row, index: number): HTMLElement {
    return h(
      "div",
      {
        class: "row",
        role: "option",
        id: `${this.element.id}-${index}`,
        "aria-selected": String(row.isChosen ?? false),
        onclick: () => this.#choose(index),
      },
      row.mark !== undefined && icon(icons[row.mark]),
      h("span", { class: "row-label" }, row.label),
      row.description !== undefined && h("span", { class: "row-description" }, row.description),
      row.isChosen === true && h("span", { class: "row-check", "aria-hidden": "true" }, "✓"),
    );
  }

  #mark(): void {
    for (const [index, child] of [...this.element.children].entries()) {
      child.classList.toggle("is-active", index === this.#active);
      if (index === this.#active) child.scrollIntoView({ block: "nearest" });
    }
  }
}
