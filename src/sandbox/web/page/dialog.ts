import type { Given, ModalFieldView, ModalView } from "../protocol.ts";
import { h, icon, icons } from "./dom.ts";
import { markdown } from "./markdown-dom.ts";
import { picker } from "./picker.ts";
import type { Store } from "./store.ts";

interface FieldNode {
  readonly customId: string;
  readonly element: HTMLElement;
  value(): Given;
  /** What is wrong with what was given, in words. */
  complaint(): string | undefined;
  focus(): void;
}

const textInput = 4;
const paragraphStyle = 2;
let made = 0;

/** Shows a form of the bot's. `submit` gives an error in words, which leaves it open, or nothing. */
export function openModal(
  modal: ModalView,
  store: Store,
  submit: (values: Readonly<Record<string, Given>>) => Promise<string | undefined>,
): void {
  const fields: FieldNode[] = [];
  const parts = modal.parts.map((part) => {
    if ("text" in part) return h("div", { class: "modal-text" }, markdown(part.text, store));
    const field =
      part.field.component.type === textInput ? textField(part.field) : selectField(part.field, store);
    fields.push(field);
    return field.element;
  });
  const failed = h("p", { class: "modal-error", role: "alert", hidden: true });
  const send = h("button", { type: "submit", class: "button primary" }, "Submit");
  const form = h(
    "form",
    { class: "modal-form" },
    h(
      "header",
      {},
      h("h2", { id: "modal-title" }, modal.title),
      h(
        "button",
        { type: "button", class: "plain", "aria-label": "Close", onclick: () => dialog.close() },
        icon(icons.close),
      ),
    ),
    h(
      "p",
      { class: "modal-warning" },
      "This form will be submitted to Marshal. Here it never leaves this machine.",
    ),
    h("div", { class: "modal-parts" }, ...parts),
    failed,
    h(
      "footer",
      {},
      h("button", { type: "button", class: "button plain-button", onclick: () => dialog.close() }, "Cancel"),
      send,
    ),
  );
  const dialog = h("dialog", { class: "modal", "aria-labelledby": "modal-title" }, form);
  form.noValidate = true;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void trySubmit();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  fields[0]?.focus();

  async function trySubmit(): Promise<void> {
    if (send.disabled) return;
    const wrong = fields.find((field) => field.complaint() !== undefined);
    if (wrong !== undefined) {
      say(wrong.complaint());
      wrong.focus();
      return;
    }
    send.disabled = true;
    const error = await submit(Object.fromEntries(fields.map((field) => [field.customId, field.value()])));
    send.disabled = false;
    if (error === undefined) dialog.close();
    else say(error);
  }

  function say(text: string | undefined): void {
    failed.textContent = text ?? "";
    failed.hidden = text === undefined;
  }
}

function frame(field: ModalFieldView, id: string, ...inputs: readonly HTMLElement[]): HTMLElement {
  return h(
    "div",
    { class: "field" },
    h(
      "label",
      { for: id, id: `${id}-label` },
      field.label,
      field.required && h("span", { class: "required" }, " *"),
    ),
    field.description !== undefined && h("p", { class: "field-hint" }, field.description),
    ...inputs,
  );
}

function textField(field: ModalFieldView): FieldNode {
  const { component, label, required } = field;
  const id = `field-${++made}`;
  const attributes = { id, placeholder: component.placeholder, class: "text-input" };
  const input =
    component.style === paragraphStyle
      ? h("textarea", attributes)
      : h("input", { ...attributes, type: "text" });
  if (input instanceof HTMLTextAreaElement) input.rows = 4;
  const max = component.maxLength ?? 4_000;
  const min = Math.max(component.minLength ?? 0, required ? 1 : 0);
  input.maxLength = max;
  input.autocomplete = "off";
  input.spellcheck = false;
  input.value = component.value ?? "";
  const count = h("span", { class: "field-count", "aria-hidden": "true" });
  const recount = () => {
    count.textContent = component.maxLength === undefined ? "" : `${[...input.value].length}/${max}`;
  };
  input.addEventListener("input", recount);
  recount();
  return {
    customId: component.customId ?? "",
    element: frame(field, id, input, count),
    value: () => input.value,
    focus: () => input.focus(),
    complaint() {
      const length = [...input.value].length;
      if (length === 0 && !required) return undefined;
      if (length < min)
        return length === 0 ? `${label} is required.` : `${label} must have at least ${min} characters.`;
      return undefined;
    },
  };
}

function selectField(field: ModalFieldView, store: Store): FieldNode {
  const { component, label, required } = field;
  const id = `field-${++made}`;
  const box = picker({
    component,
    store,
    label: component.placeholder ?? "Make a selection",
    labelledBy: `${id}-label`,
    changed: () => undefined,
  });
  const input = box.element.querySelector("input");
  if (input !== null) input.id = id;
  return {
    customId: component.customId ?? "",
    element: frame(field, id, box.element),
    value: () => box.values(),
    focus: () => input?.focus(),
    complaint() {
      const count = box.values().length;
      if (required && count < Math.max(1, component.minValues)) return `${label} is required.`;
      return undefined;
    },
  };
}
