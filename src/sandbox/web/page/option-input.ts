import type { ChoiceView, Given, OptionView } from "../protocol.ts";
import { type Candidate, candidatesOf, matching } from "./candidates.ts";
import { h } from "./dom.ts";
import type { Store } from "./store.ts";

const integer = 4;
const number = 10;
const boolean = 5;

export type Read = { readonly value: Given } | { readonly wrong: string } | undefined;

/** One option of a command that is being filled in: a name and a place to write. */
export class OptionInput {
  readonly option: OptionView;
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  /** From the bot, for what is written now. */
  live: readonly ChoiceView[] = [];
  readonly #store: Store;
  #chosen: { readonly label: string; readonly value: Given } | undefined;

  constructor(option: OptionView, store: Store) {
    this.option = option;
    this.#store = store;
    this.input = h("input", { type: "text", "aria-label": option.name, class: "option-input" });
    this.input.autocomplete = "off";
    this.input.spellcheck = false;
    const grow = () => {
      this.input.style.width = `${Math.max(3, [...this.input.value].length + 1)}ch`;
    };
    this.input.addEventListener("input", () => {
      this.#chosen = undefined;
      this.element.classList.remove("is-wrong");
      grow();
    });
    this.element = h(
      "label",
      { class: "option" },
      h("span", { class: "option-name" }, option.name),
      this.input,
    );
    grow();
  }

  /** Only what stands in the list may be given. */
  get isFixed(): boolean {
    return this.#all !== undefined;
  }

  get isResolved(): boolean {
    return this.#chosen !== undefined;
  }

  /** What may be chosen for what is written now. */
  candidates(): readonly Candidate[] {
    if (this.option.autocomplete)
      return this.live.map(({ name, value }) => ({ label: name, value: String(value) }));
    return matching(this.#all ?? [], this.#chosen === undefined ? this.input.value : "");
  }

  choose({ label, value }: Candidate): void {
    const known = [...this.option.choices, ...this.live].find((one) => String(one.value) === value);
    const given: Given = this.option.type === boolean ? value === "true" : (known?.value ?? value);
    this.write(label);
    this.#chosen = { label, value: given };
  }

  write(text: string): void {
    this.input.value = text;
    this.input.dispatchEvent(new Event("input"));
  }

  /** The value, what is wrong with it, or nothing where nothing is written. */
  read(): Read {
    const text = this.input.value.trim();
    if (this.#chosen !== undefined) return { value: this.#chosen.value };
    if (text === "") return undefined;
    const { name, type } = this.option;
    if (this.isFixed) {
      const wanted = text.replace(/^[#@]/, "").toLowerCase();
      const found = this.#all?.find(({ label, value }) => label.toLowerCase() === wanted || value === text);
      if (found === undefined) return { wrong: `${name}: "${text}" is not in the list` };
      this.choose(found);
      return this.read();
    }
    if (type === integer || type === number) {
      const value = Number(text);
      return Number.isFinite(value) ? { value } : { wrong: `${name} takes a number` };
    }
    return { value: text };
  }

  /** Everything that may be given, where that is a list. */
  get #all(): readonly Candidate[] | undefined {
    if (this.option.choices.length > 0) return this.option.choices.map(asCandidate);
    return candidatesOf(this.option.type, this.option.channelTypes, this.#store);
  }
}

function asCandidate({ name, value }: ChoiceView): Candidate {
  return { label: name, value: String(value) };
}
