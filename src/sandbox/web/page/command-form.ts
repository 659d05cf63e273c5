import type { ChoiceView, CommandView, Given } from "../protocol.ts";
import { add, h } from "./dom.ts";
import type { Listbox } from "./listbox.ts";
import { OptionInput } from "./option-input.ts";
import type { Store } from "./store.ts";

export interface FormActions {
  autocomplete(options: Readonly<Record<string, Given>>, focused: string): Promise<readonly ChoiceView[]>;
  send(options: Readonly<Record<string, Given>>): void;
  leave(): void;
  complain(text: string): void;
}

interface FormParts {
  readonly command: CommandView;
  /** Options that stand there although they need not be given. */
  readonly named: readonly string[];
  readonly store: Store;
  /** The list and the line over the box. */
  readonly list: Listbox;
  readonly hint: HTMLElement;
  readonly actions: FormActions;
}

const askAfterMs = 120;

/** A command whose options are being filled in. */
export class CommandForm {
  readonly command: CommandView;
  readonly nodes: readonly HTMLElement[];
  readonly #parts: FormParts;
  readonly #inputs: OptionInput[] = [];
  readonly #place = h("div", { class: "options" });
  readonly #more: ReadonlyMap<string, HTMLElement>;
  readonly #sendButton = h(
    "button",
    { type: "button", class: "send-line", title: "Send the command (Enter)", onclick: () => this.send() },
    "Send",
  );
  #focused: OptionInput | undefined;
  #asked = 0;
  #askTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: FormParts) {
    this.#parts = parts;
    this.command = parts.command;
    const { line, options } = parts.command;
    const optional = options.filter(({ required }) => !required);
    this.#more = new Map(optional.map((option) => [option.name, this.#moreButton(option)]));
    this.#sendButton.addEventListener("keydown", ({ key }) => {
      if (key === "Escape" || key === "Backspace") parts.actions.leave();
    });
    const row = h("div", { class: "more-options" });
    add(row, [...this.#more.values(), this.#sendButton]);
    this.nodes = [h("span", { class: "command-chip" }, `/${line}`), this.#place, row];
    for (const { name, required } of options)
      if (required || parts.named.includes(name)) this.#addInput(name);
  }

  focus(): void {
    const first = this.#inputs[0];
    if (first !== undefined) {
      first.input.focus();
      return;
    }
    this.#sendButton.focus();
    this.#explain(undefined);
  }

  /** Writes into the options that stand there. */
  write(values: ReadonlyMap<string, string>): void {
    for (const input of this.#inputs) {
      const written = values.get(input.option.name);
      if (written !== undefined) input.write(written);
    }
  }

  /** Takes a row of the list for the option that has the focus, and goes on to the next that must be given. */
  pick(index: number): void {
    const input = this.#focused;
    const candidate = input?.candidates()[index];
    if (candidate === undefined || input === undefined) return;
    input.choose(candidate);
    this.#parts.list.hide();
    const empty = this.#inputs.find(
      (one) => one !== input && one.option.required && one.read() === undefined,
    );
    (empty ?? input).input.focus();
  }

  /** Sends what was written, or says what is wrong with it. */
  send(): void {
    const { actions } = this.#parts;
    const options: Record<string, Given> = {};
    for (const input of this.#inputs) {
      const read = input.read();
      if (read === undefined && !input.option.required) continue;
      if (read === undefined || "wrong" in read) {
        actions.complain(read === undefined ? `${input.option.name} is required` : read.wrong);
        input.element.classList.add("is-wrong");
        input.input.focus();
        return;
      }
      options[input.option.name] = read.value;
    }
    actions.send(options);
  }

  #moreButton({ name, description }: CommandView["options"][number]): HTMLElement {
    return h(
      "button",
      {
        type: "button",
        class: "more-option",
        "data-option": name,
        title: description,
        onclick: () => this.#addInput(name)?.input.focus(),
      },
      `+ ${name}`,
    );
  }

  #addInput(name: string): OptionInput | undefined {
    const option = this.command.options.find((one) => one.name === name);
    if (option === undefined) return undefined;
    const { store, list } = this.#parts;
    const made = new OptionInput(option, store);
    this.#inputs.push(made);
    this.#place.append(made.element);
    const more = this.#more.get(name);
    if (more !== undefined) more.hidden = true;
    made.input.setAttribute("role", "combobox");
    made.input.setAttribute("aria-controls", list.element.id);
    made.input.addEventListener("focus", () => {
      this.#focused = made;
      this.#explain(made);
      this.#offer(made);
    });
    made.input.addEventListener("blur", () => list.hide());
    made.input.addEventListener("input", () => {
      if (this.#focused === made) this.#offer(made);
    });
    made.input.addEventListener("keydown", (event) => this.#key(event, made));
    return made;
  }

  #explain(input: OptionInput | undefined): void {
    const { hint } = this.#parts;
    const { description } = this.command;
    const words = input === undefined ? description : `${input.option.name}: ${input.option.description}`;
    hint.replaceChildren(
      h("strong", {}, words),
      h("span", {}, input?.option.required === false ? "optional" : ""),
    );
    hint.hidden = false;
  }

  #offer(input: OptionInput): void {
    this.#listFor(input);
    if (!input.option.autocomplete || input.isResolved) return;
    clearTimeout(this.#askTimer);
    this.#askTimer = setTimeout(() => void this.#ask(input), askAfterMs);
  }

  async #ask(input: OptionInput): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    const { name } = input.option;
    const options: Record<string, Given> = {};
    for (const other of this.#inputs) {
      const read = other.read();
      if (other !== input && read !== undefined && "value" in read) options[other.option.name] = read.value;
    }
    if (input.input.value !== "") options[name] = input.input.value;
    const choices = await this.#parts.actions.autocomplete(options, name);
    // An answer to what was written before is of no use any more.
    if (asked !== this.#asked || this.#focused !== input) return;
    input.live = choices;
    if (document.activeElement === input.input) this.#listFor(input);
  }

  #listFor(input: OptionInput): void {
    const { list } = this.#parts;
    const rows = input.isResolved && !input.isFixed ? [] : input.candidates();
    list.show(rows, input.isFixed && !input.isResolved ? 0 : -1);
    input.input.setAttribute("aria-activedescendant", list.activeId ?? "");
  }

  #key(event: KeyboardEvent, input: OptionInput): void {
    const { list } = this.#parts;
    const { key } = event;
    const mayTake = list.isOpen && !input.isResolved;
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      list.move(key === "ArrowDown" ? 1 : -1);
      input.input.setAttribute("aria-activedescendant", list.activeId ?? "");
    } else if (
      key === "Tab" &&
      !event.shiftKey &&
      mayTake &&
      (list.active >= 0 || input.input.value !== "")
    ) {
      event.preventDefault();
      this.pick(Math.max(0, list.active));
    } else if (key === "Enter" && !event.isComposing) {
      event.preventDefault();
      if (mayTake && list.active >= 0) this.pick(list.active);
      else this.send();
    } else if (key === "Escape" || (key === "Backspace" && input.input.value === "")) {
      event.preventDefault();
      this.#back(input, key === "Escape");
    }
  }

  #back(input: OptionInput, isEscape: boolean): void {
    const { list, actions } = this.#parts;
    if (isEscape && list.isOpen) list.hide();
    else if (isEscape || input.option.required) actions.leave();
    else {
      this.#inputs.splice(this.#inputs.indexOf(input), 1);
      input.element.remove();
      const more = this.#more.get(input.option.name);
      if (more !== undefined) more.hidden = false;
      (this.#inputs.at(-1)?.input ?? this.#sendButton).focus();
    }
  }
}
