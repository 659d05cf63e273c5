import type { ChoiceView, CommandView, Given } from "../protocol.ts";
import { add, h } from "./dom.ts";
import { Listbox } from "./listbox.ts";
import { OptionInput } from "./option-input.ts";
import { missing, parseLine, suggestions } from "./slash.ts";
import type { Store } from "./store.ts";

export interface ComposerActions {
  post(text: string): Promise<string | undefined>;
  slash(line: string, options: Readonly<Record<string, Given>>): Promise<string | undefined>;
  autocomplete(
    line: string,
    options: Readonly<Record<string, Given>>,
    focused: string,
  ): Promise<readonly ChoiceView[]>;
}

const askAfterMs = 120;

interface Filling {
  readonly command: CommandView;
  readonly inputs: OptionInput[];
}

/** The box at the bottom: a message, or after "/" a command with its options. */
export class Composer {
  readonly element: HTMLElement;
  readonly #store: Store;
  readonly #actions: ComposerActions;
  readonly #text = h("textarea", { class: "composer-text", "aria-label": "Message" });
  readonly #box = h("div", { class: "composer-box" });
  readonly #hint = h("div", { class: "composer-hint", hidden: true });
  readonly #notice = h("div", { class: "notice", role: "alert", hidden: true });
  readonly #list = new Listbox((index) => this.#pick(index));
  #filling: Filling | undefined;
  #found: readonly CommandView[] = [];
  #focused: OptionInput | undefined;
  #asked = 0;
  #askTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store, actions: ComposerActions) {
    this.#store = store;
    this.#actions = actions;
    this.#text.rows = 1;
    this.#text.autocomplete = "off";
    this.#text.setAttribute("aria-controls", this.#list.element.id);
    this.#text.addEventListener("input", () => this.#typed());
    this.#text.addEventListener("keydown", (event) => this.#textKey(event));
    this.#text.addEventListener("blur", () => this.#list.hide());
    this.#text.addEventListener("focus", () => this.#typed());
    const popup = h("div", { class: "popup" }, this.#hint, this.#list.element);
    this.element = h("div", { class: "composer" }, this.#notice, popup, this.#box);
    this.#plain();
  }

  /** Another channel, another person, other commands: the box says what can be done now. */
  refresh(): void {
    const { open } = this.#store;
    this.#text.disabled = open === undefined;
    this.#text.placeholder =
      open === undefined
        ? "Connecting…"
        : open.mayWrite
          ? `Message ${open.type === 1 ? "@" : "#"}${open.name}, or / for a command`
          : "You cannot write here; / for a command";
    if (
      this.#filling !== undefined &&
      !this.#store.commands.some(({ line }) => line === this.#filling?.command.line)
    )
      this.#plain();
  }

  focus(): void {
    if (this.#filling === undefined) this.#text.focus();
  }

  /** Writes a line as if it were typed. */
  write(text: string): void {
    this.#plain();
    this.#text.value = text;
    this.#text.focus();
    this.#typed();
  }

  /** A line of words over the box, until the next one or for a while. */
  say(text: string): void {
    this.#notice.textContent = text;
    this.#notice.hidden = false;
    setTimeout(() => {
      if (this.#notice.textContent === text) this.#notice.hidden = true;
    }, 8_000);
  }

  #plain(): void {
    this.#filling = undefined;
    this.#focused = undefined;
    this.#hint.hidden = true;
    this.#list.hide();
    this.#text.value = "";
    this.#box.replaceChildren(this.#text);
    this.#grow();
  }

  #grow(): void {
    this.#text.style.height = "auto";
    // Before it stands in the page it has no height to grow from.
    if (this.#text.value !== "") this.#text.style.height = `${Math.min(180, this.#text.scrollHeight)}px`;
  }

  #typed(): void {
    this.#grow();
    const { value } = this.#text;
    if (!value.startsWith("/")) {
      this.#list.hide();
      return;
    }
    this.#found = suggestions(value, this.#store.commands);
    this.#list.show(
      this.#found.map(({ line, description }) => ({ label: `/${line}`, description })),
      0,
    );
    this.#text.setAttribute("aria-activedescendant", this.#list.activeId ?? "");
  }

  #textKey(event: KeyboardEvent): void {
    const isList = this.#list.isOpen;
    if (isList && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      this.#list.move(event.key === "ArrowDown" ? 1 : -1);
      this.#text.setAttribute("aria-activedescendant", this.#list.activeId ?? "");
    } else if (isList && event.key === "Escape") {
      event.preventDefault();
      this.#list.hide();
    } else if (isList && event.key === "Tab" && !event.shiftKey) {
      event.preventDefault();
      this.#pick(this.#list.active);
    } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      void this.#enter();
    }
  }

  async #enter(): Promise<void> {
    const { value } = this.#text;
    if (!value.startsWith("/")) {
      if (value.trim() === "") return;
      this.#plain();
      this.#tell(await this.#actions.post(value));
      return;
    }
    const parsed = parseLine(value, this.#store.commands);
    const isWhole =
      parsed !== undefined &&
      (parsed.values.size > 0 || missing(parsed.command, parsed.values) === undefined);
    const isOther = this.#list.isOpen && this.#found[this.#list.active]?.line !== parsed?.command.line;
    if (isWhole && (parsed.values.size > 0 || !isOther))
      await this.#sendWritten(parsed.command, parsed.values);
    else if (this.#list.isOpen) this.#pick(this.#list.active);
    else this.#tell(`There is no command ${value.split(" ")[0] ?? value} here.`);
  }

  /** A line that was written out or pasted: its words are put into the options, and what fits is sent. */
  async #sendWritten(command: CommandView, values: ReadonlyMap<string, string>): Promise<void> {
    this.#begin(command, [...values.keys()]);
    for (const input of this.#filling?.inputs ?? []) {
      const written = values.get(input.option.name);
      if (written !== undefined) input.write(written);
    }
    await this.#send();
  }

  #pick(index: number): void {
    if (this.#filling !== undefined) {
      const candidate = this.#focused?.candidates()[index];
      if (candidate === undefined || this.#focused === undefined) return;
      this.#focused.choose(candidate);
      this.#next(this.#focused);
      return;
    }
    const command = this.#found[index];
    if (command !== undefined) this.#begin(command, []);
  }

  /** Shows the command with the options that must be given and those named. */
  #begin(command: CommandView, named: readonly string[]): void {
    this.#list.hide();
    this.#filling = { command, inputs: [] };
    const inputs = h("div", { class: "options" });
    this.#box.replaceChildren(
      h("span", { class: "command-chip" }, `/${command.line}`),
      inputs,
      this.#more(command, inputs),
    );
    for (const option of command.options)
      if (option.required || named.includes(option.name)) this.#addInput(option.name, inputs);
    this.#moreButtons();
    const first = this.#filling.inputs[0];
    if (first === undefined) this.#box.querySelector<HTMLElement>(".send-line")?.focus();
    else first.input.focus();
    if (first === undefined) this.#explain(undefined);
  }

  #more(command: CommandView, inputs: HTMLElement): HTMLElement {
    const optional = command.options.filter(({ required }) => !required);
    const row = h("div", { class: "more-options" });
    add(
      row,
      optional.map(({ name, description }) =>
        h(
          "button",
          {
            type: "button",
            class: "more-option",
            "data-option": name,
            title: description,
            onclick: () => {
              this.#addInput(name, inputs)?.input.focus();
              this.#moreButtons();
            },
          },
          `+ ${name}`,
        ),
      ),
    );
    const send = h(
      "button",
      {
        type: "button",
        class: "send-line",
        title: "Send the command (Enter)",
        onclick: () => void this.#send(),
      },
      "Send",
    );
    send.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#leave();
      if (event.key === "Backspace") this.#leave();
    });
    row.append(send);
    return row;
  }

  #moreButtons(): void {
    const used = new Set(this.#filling?.inputs.map(({ option }) => option.name));
    for (const button of this.#box.querySelectorAll<HTMLElement>(".more-option"))
      button.hidden = used.has(button.dataset.option ?? "");
  }

  #addInput(name: string, place: HTMLElement): OptionInput | undefined {
    const filling = this.#filling;
    const option = filling?.command.options.find((one) => one.name === name);
    if (filling === undefined || option === undefined) return undefined;
    const made = new OptionInput(option, this.#store);
    filling.inputs.push(made);
    place.append(made.element);
    made.input.setAttribute("role", "combobox");
    made.input.setAttribute("aria-controls", this.#list.element.id);
    made.input.addEventListener("focus", () => {
      this.#focused = made;
      this.#explain(made);
      this.#offer(made);
    });
    made.input.addEventListener("blur", () => this.#list.hide());
    made.input.addEventListener("input", () => {
      if (this.#focused === made) this.#offer(made);
    });
    made.input.addEventListener("keydown", (event) => this.#optionKey(event, made));
    return made;
  }

  #explain(input: OptionInput | undefined): void {
    const command = this.#filling?.command;
    const words =
      input === undefined ? command?.description : `${input.option.name}: ${input.option.description}`;
    this.#hint.replaceChildren(
      h("strong", {}, words ?? ""),
      h("span", {}, input?.option.required === false ? "optional" : ""),
    );
    this.#hint.hidden = words === undefined;
  }

  #offer(input: OptionInput): void {
    this.#listFor(input);
    if (!input.option.autocomplete || input.isResolved) return;
    clearTimeout(this.#askTimer);
    this.#askTimer = setTimeout(() => void this.#ask(input), askAfterMs);
  }

  async #ask(input: OptionInput): Promise<void> {
    const filling = this.#filling;
    if (filling === undefined) return;
    this.#asked += 1;
    const asked = this.#asked;
    const { name } = input.option;
    const options: Record<string, Given> = {};
    for (const other of filling.inputs) {
      const read = other.read();
      if (other !== input && read !== undefined && "value" in read) options[other.option.name] = read.value;
    }
    if (input.input.value !== "") options[name] = input.input.value;
    const choices = await this.#actions.autocomplete(filling.command.line, options, name);
    // An answer to what was written before is of no use any more.
    if (asked !== this.#asked || this.#focused !== input || this.#filling !== filling) return;
    input.live = choices;
    if (document.activeElement === input.input) this.#listFor(input);
  }

  #listFor(input: OptionInput): void {
    const rows = input.isResolved && !input.isFixed ? [] : input.candidates();
    this.#list.show(rows, input.isFixed && !input.isResolved ? 0 : -1);
    input.input.setAttribute("aria-activedescendant", this.#list.activeId ?? "");
  }

  #optionKey(event: KeyboardEvent, input: OptionInput): void {
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      this.#list.move(key === "ArrowDown" ? 1 : -1);
      input.input.setAttribute("aria-activedescendant", this.#list.activeId ?? "");
    } else if (
      key === "Tab" &&
      !event.shiftKey &&
      this.#list.isOpen &&
      !input.isResolved &&
      (this.#list.active >= 0 || input.input.value !== "")
    ) {
      event.preventDefault();
      this.#pick(Math.max(0, this.#list.active));
    } else if (key === "Enter" && !event.isComposing) {
      event.preventDefault();
      if (this.#list.isOpen && this.#list.active >= 0 && !input.isResolved) this.#pick(this.#list.active);
      else void this.#send();
    } else if (key === "Escape" || (key === "Backspace" && input.input.value === "")) {
      event.preventDefault();
      this.#backFrom(input, key === "Escape");
    }
  }

  #backFrom(input: OptionInput, isEscape: boolean): void {
    if (isEscape && this.#list.isOpen) {
      this.#list.hide();
      return;
    }
    const filling = this.#filling;
    if (isEscape || filling === undefined || input.option.required) {
      this.#leave();
      return;
    }
    filling.inputs.splice(filling.inputs.indexOf(input), 1);
    input.element.remove();
    this.#moreButtons();
    (filling.inputs.at(-1)?.input ?? this.#box.querySelector<HTMLElement>(".send-line"))?.focus();
  }

  #leave(): void {
    this.#plain();
    this.#text.focus();
  }

  /** After a choice: on to the next option that must be given and is not; else stay, Enter sends. */
  #next(input: OptionInput): void {
    this.#list.hide();
    const empty = this.#filling?.inputs.find(
      (one) => one !== input && one.option.required && one.read() === undefined,
    );
    (empty ?? input).input.focus();
  }

  async #send(): Promise<void> {
    const filling = this.#filling;
    if (filling === undefined) return;
    const options: Record<string, Given> = {};
    for (const input of filling.inputs) {
      const read = input.read();
      if (read === undefined && !input.option.required) continue;
      if (read === undefined || "wrong" in read) {
        this.#tell(read === undefined ? `${input.option.name} is required` : read.wrong);
        input.element.classList.add("is-wrong");
        input.input.focus();
        return;
      }
      options[input.option.name] = read.value;
    }
    this.#leave();
    this.#tell(await this.#actions.slash(filling.command.line, options));
  }

  #tell(error: string | undefined): void {
    if (error !== undefined) this.say(error);
    else this.#notice.hidden = true;
  }
}
