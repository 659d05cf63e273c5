import type { ChoiceView, CommandView, Given } from "../protocol.ts";
import { CommandForm } from "./command-form.ts";
import { h } from "./dom.ts";
import { Listbox } from "./listbox.ts";
import { missing, parseLine, suggestions, whyUnknown } from "./slash.ts";
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
  #form: CommandForm | undefined;
  #found: readonly CommandView[] = [];
  #offeredOf: readonly CommandView[] = [];

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
          ? `Message ${open.type === 1 ? "@" : "#"}${open.name} or type /`
          : "You cannot write here; type / for a command";
    if (
      this.#form !== undefined &&
      !this.#store.commands.some(({ line }) => line === this.#form?.command.line)
    )
      this.#plain();
    // The bot may register its commands after somebody began to type one.
    const isStale = this.#offeredOf !== this.#store.commands;
    if (isStale && this.#form === undefined && document.activeElement === this.#text) this.#typed();
  }

  focus(): void {
    if (this.#form === undefined) this.#text.focus();
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
    this.#form = undefined;
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
    this.#offeredOf = this.#store.commands;
    this.#found = suggestions(value, this.#offeredOf);
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
    if (parsed?.tooMuch !== undefined) {
      this.say(`/${parsed.command.line} takes no options: "${parsed.tooMuch}" is too much.`);
      return;
    }
    const isWhole =
      parsed !== undefined &&
      (parsed.values.size > 0 || missing(parsed.command, parsed.values) === undefined);
    const isOther = this.#list.isOpen && this.#found[this.#list.active]?.line !== parsed?.command.line;
    if (isWhole && (parsed.values.size > 0 || !isOther)) this.#sendWritten(parsed.command, parsed.values);
    else if (this.#list.isOpen) this.#pick(this.#list.active);
    else this.say(whyUnknown(value, this.#store.commands));
  }

  /** A line that was written out or pasted: its words are put into the options, and what fits is sent. */
  #sendWritten(command: CommandView, values: ReadonlyMap<string, string>): void {
    const form = this.#begin(command, [...values.keys()]);
    form.write(values);
    form.send();
  }

  #pick(index: number): void {
    if (this.#form !== undefined) {
      this.#form.pick(index);
      return;
    }
    const command = this.#found[index];
    if (command !== undefined) this.#begin(command, []);
  }

  /** Shows the command with the options that must be given and those named. */
  #begin(command: CommandView, named: readonly string[]): CommandForm {
    this.#list.hide();
    const { line } = command;
    const form = new CommandForm({
      command,
      named,
      store: this.#store,
      list: this.#list,
      hint: this.#hint,
      actions: {
        autocomplete: (options, focused) => this.#actions.autocomplete(line, options, focused),
        send: (options) => {
          this.#leave();
          void this.#actions.slash(line, options).then((error) => this.#tell(error));
        },
        leave: () => this.#leave(),
        complain: (text) => this.say(text),
      },
    });
    this.#form = form;
    this.#box.replaceChildren(...form.nodes);
    form.focus();
    return form;
  }

  #leave(): void {
    this.#plain();
    this.#text.focus();
  }

  #tell(error: string | undefined): void {
    if (error !== undefined) this.say(error);
    else this.#notice.hidden = true;
  }
}
