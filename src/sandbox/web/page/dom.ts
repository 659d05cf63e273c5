/** Makes elements. Texts become text nodes: nothing that comes from outside is ever read as HTML. */

export type Child = Node | string | undefined | false;

type Handlers = {
  readonly [K in keyof HTMLElementEventMap as `on${K}`]?: (event: HTMLElementEventMap[K]) => void;
};

export type Attributes = Readonly<Record<`data-${string}` | `aria-${string}`, string | undefined>> & {
  readonly class?: string | undefined;
  readonly id?: string;
  readonly role?: string | undefined;
  readonly title?: string | undefined;
  readonly type?: string;
  readonly href?: string;
  readonly src?: string;
  readonly alt?: string;
  readonly rel?: string;
  readonly target?: string;
  readonly slot?: string;
  readonly name?: string;
  readonly placeholder?: string | undefined;
  readonly tabindex?: string;
  readonly datetime?: string;
  readonly download?: string;
  readonly for?: string;
  readonly value?: string;
  readonly disabled?: boolean;
  readonly hidden?: boolean;
  readonly style?: string | undefined;
};

function set(element: Element, attributes: object): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), (event) => value(event));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** An element with attributes, handlers (`onclick`) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes & Handlers = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  set(element, attributes);
  add(element, children);
  return element;
}

/** A custom element; `attributes` by their HTML names. */
export function custom(
  tag: `discord-${string}`,
  attributes: Readonly<Record<string, string | boolean | undefined>>,
  ...children: readonly Child[]
): HTMLElement {
  const element = document.createElement(tag);
  set(element, attributes);
  add(element, children);
  return element;
}

export function add(element: Element, children: readonly Child[]): void {
  for (const child of children) if (child !== undefined && child !== false) element.append(child);
}

/** One of the page's fixed places. Throws where the page has none: that is a mistake of ours. */
export function place(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no #${id}`);
  return element;
}

const svgNames = "http://www.w3.org/2000/svg";

/** An icon of 24 by 24 units, from one path. */
export function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS(svgNames, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("icon");
  const shape = document.createElementNS(svgNames, "path");
  shape.setAttribute("d", path);
  shape.setAttribute("fill", "currentColor");
  svg.append(shape);
  return svg;
}

export const icons = {
  hash: "M9.5 3 8.700 8H4v2h4.400l-.65 4H3v2h4.400l-.8 5h2l.8-5h4l-.8 5h2l.8-5H20v-2h-4.300l.65-4H21V8h-4.300l.8-5h-2l-.8 5h-4l.8-5zm.9 7h4l-.65 4h-4z",
  thread: "M6 3v8a4 4 0 0 0 4 4h6.200l-2.600 2.600L15 19l5-5-5-5-1.400 1.400L16.200 13H10a2 2 0 0 1-2-2V3z",
  menu: "M3 6h18v2H3zm0 5h18v2H3zm0 5h18v2H3z",
  town: "M4 21V9l5-4 5 4v3h6v9zm3-3h2v-2H7zm0-4h2v-2H7zm5 4h2v-2h-2zm5 0h2v-2h-2zm-5-4h2v-2h-2z",
  sun: "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM11 1h2v4h-2zm0 18h2v4h-2zM1 11h4v2H1zm18 0h4v2h-4zM4.200 2.800l2.900 2.900-1.400 1.400-2.900-2.900zm13.700 14.100 2.900 2.900-1.400 1.400-2.900-2.900zM2.800 19.800l2.900-2.900 1.400 1.400-2.900 2.900zM16.500 5.700l2.900-2.900 1.400 1.400-2.900 2.900z",
  close:
    "M5.600 4.200 12 10.600l6.400-6.400 1.400 1.400-6.400 6.400 6.400 6.400-1.400 1.400-6.400-6.400-6.400 6.400-1.400-1.400 6.400-6.400-6.400-6.400z",
  file: "M6 2h8l5 5v15H6zm7 2H8v16h9V8h-4z",
  out: "M14 3h7v7h-2V6.400l-8.300 8.300-1.400-1.400L17.600 5H14zM5 5h5v2H7v10h10v-3h2v5H5z",
  copy: "M8 3h11v13h-2V5H8zM5 7h10v14H5zm2 2v10h6V9z",
  at: "M12 3a9 9 0 1 0 5 16.500l-1.100-1.700A7 7 0 1 1 19 12v1a1.500 1.500 0 0 1-3 0V8h-2v.6A4.500 4.500 0 1 0 14.600 15 3.500 3.500 0 0 0 21 13v-1a9 9 0 0 0-9-9zm0 6.500a2.500 2.500 0 1 1 0 5 2.500 2.500 0 0 1 0-5z",
} as const;
