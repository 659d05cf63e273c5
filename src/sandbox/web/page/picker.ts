import type { ComponentView } from "../protocol.ts";
import { type Candidate, candidatesOf, matching, OptionKind } from "./candidates.ts";
import { h } from "./dom.ts";
import { Listbox } from "./listbox.ts";
import type { Store } from "./store.ts";

interface PickerOptions {
  readonly component: ComponentView;
  readonly store: Store;
  readonly label: string;
  readonly labelledBy?: string;
  changed(values: readonly string[]): void;
}

export interface Picker {
  readonly element: HTMLElement;
  values(): readonly string[];
}

/** Discord's select types as kinds of options; 3, with options of its own, is none of them. */
const kinds: Readonly<Record<number, number>> = {
  5: OptionKind.user,
  6: OptionKind.role,
  7: OptionKind.mentionable,
  8: OptionKind.channel,
};

function candidates({ type, options, channelTypes }: ComponentView, store: Store): readonly Candidate[] {
  const kind = kinds[type];
  const found = kind === undefined ? undefined : candidatesOf(kind, channelTypes, store);
  return found ?? options.map(({ label, value, description }) => ({ label, value, description }));
}

/** A select as Discord shows it: what is chosen as a text, a list that opens, typing filters it. */
export function picker({ component, store, label, labelledBy, changed }: PickerOptions): Picker {
  const { minValues, maxValues, disabled } = component;
  const isMany = maxValues > 1;
  const known = candidates(component, store);
  const preset = component.options.filter(({ isDefault }) => isDefault).map(({ value }) => value);
  let chosen: readonly string[] = [...preset, ...component.defaultIds];
  let before = chosen;
  let shown: readonly Candidate[] = [];

  const input = h("input", {
    type: "text",
    class: "picker-input",
    role: "combobox",
    "aria-expanded": "false",
    "aria-haspopup": "listbox",
    ...(labelledBy === undefined ? { "aria-label": label } : { "aria-labelledby": labelledBy }),
    placeholder: label,
    disabled,
  });
  input.autocomplete = "off";
  const list = new Listbox((index) => choose(index));
  input.setAttribute("aria-controls", list.element.id);
  const arrow = h("span", { class: "picker-arrow", "aria-hidden": "true" }, "▾");
  const element = h("div", { class: "picker" }, input, arrow, list.element);

  const textOf = () =>
    known
      .filter(({ value }) => chosen.includes(value))
      .map(({ label: name }) => name)
      .join(", ");
  const open = (typed: string, active = 0) => {
    shown = matching(known, typed);
    list.show(
      shown.map((one) => ({ ...one, isChosen: chosen.includes(one.value) })),
      active,
    );
    input.setAttribute("aria-expanded", "true");
    input.setAttribute("aria-activedescendant", list.activeId ?? "");
    placeList();
  };
  // Above the input where there is no room below it: the last message stands at the bottom of the page.
  const placeList = () => {
    const room = window.innerHeight - input.getBoundingClientRect().bottom;
    element.classList.toggle("opens-up", room < 220);
  };
  const close = () => {
    if (!list.isOpen && input.value === textOf()) return;
    list.hide();
    input.setAttribute("aria-expanded", "false");
    input.value = textOf();
    if (isMany && chosen !== before && chosen.length >= minValues) changed(chosen);
    before = chosen;
  };
  const choose = (index: number) => {
    const candidate = shown[index];
    if (candidate === undefined) return;
    const has = chosen.includes(candidate.value);
    if (!isMany) {
      chosen = has && minValues === 0 ? [] : [candidate.value];
      before = chosen;
      close();
      changed(chosen);
      return;
    }
    if (has) chosen = chosen.filter((value) => value !== candidate.value);
    else if (chosen.length < maxValues) chosen = [...chosen, candidate.value];
    input.value = "";
    open("", index);
  };
  input.addEventListener("mousedown", () => {
    if (document.activeElement === input) open("");
  });
  input.addEventListener("focus", () => {
    input.value = "";
    open("");
  });
  input.addEventListener("input", () => open(input.value));
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      // By key one is done with one choice; pressing rows goes on until one looks elsewhere.
      if (list.isOpen) {
        choose(list.active);
        close();
      } else open("");
    } else if (event.key === "Escape" && list.isOpen) {
      event.preventDefault();
      event.stopPropagation();
      close();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!list.isOpen) open("");
      else list.move(event.key === "ArrowDown" ? 1 : -1);
      input.setAttribute("aria-activedescendant", list.activeId ?? "");
    }
  });
  input.value = textOf();
  return { element, values: () => chosen };
}
