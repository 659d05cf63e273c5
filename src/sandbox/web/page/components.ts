import type { ComponentView, MessageView } from "../protocol.ts";
import { custom, h, icon, icons } from "./dom.ts";
import { safeUrl } from "./markdown.ts";
import { picker } from "./picker.ts";
import type { Store } from "./store.ts";

/** What was pressed or chosen. */
export interface Pressed {
  readonly customId: string;
  /** Of a select. */
  readonly values?: readonly string[];
}

type Press = (pressed: Pressed) => Promise<void>;

const buttonType = 2;
const buttonClasses: Readonly<Record<number, string>> = {
  1: "primary",
  2: "secondary",
  3: "success",
  4: "danger",
  5: "secondary",
};

/** The rows of buttons and selects under a message. */
export function componentRows(message: MessageView, store: Store, press: Press): readonly HTMLElement[] {
  return message.rows.map((row) =>
    custom(
      "discord-action-row",
      { slot: "components", class: "action-row" },
      ...row.map((one) => (one.type === buttonType ? buttonNode(one, press) : selectNode(one, store, press))),
    ),
  );
}

function buttonNode(component: ComponentView, press: Press): HTMLElement {
  const { customId, label = "", emoji, url, disabled, style = 2 } = component;
  const words = [emoji !== undefined && h("span", { class: "button-emoji" }, emoji), h("span", {}, label)];
  const href = url === undefined ? undefined : safeUrl(url);
  const look = `button ${buttonClasses[style] ?? "secondary"}`;
  if (href !== undefined)
    return h(
      "a",
      { class: look, href, target: "_blank", rel: "noopener noreferrer" },
      ...words,
      icon(icons.out),
    );
  const button = h("button", { type: "button", class: look, disabled }, ...words);
  button.addEventListener("click", () => {
    if (customId !== undefined && !button.classList.contains("is-busy"))
      void whileBusy(button, press({ customId }));
  });
  return button;
}

async function whileBusy(element: HTMLElement, done: Promise<void>): Promise<void> {
  element.classList.add("is-busy");
  element.setAttribute("aria-busy", "true");
  await done;
  element.classList.remove("is-busy");
  element.removeAttribute("aria-busy");
}

function selectNode(component: ComponentView, store: Store, press: Press): HTMLElement {
  const { customId } = component;
  const box = picker({
    component,
    store,
    label: component.placeholder ?? "Make a selection",
    changed(values) {
      if (customId !== undefined) void whileBusy(box.element, press({ customId, values }));
    },
  });
  return box.element;
}
