import type { Escaped } from "../../../domain/escaped.ts";
import type { Button, Row } from "../../../domain/message.ts";

/** How a long list is cut into pages, and the buttons below one. Pure. */

/** One entry of a list. A heading stands above it where it is the first of its page or group. */
export interface Item<T> {
  readonly text: Escaped;
  readonly of: T;
}

export interface PageLimits {
  readonly mostItems: number;
  /** UTF-16 units, as Discord counts. */
  readonly room: number;
}

/** Every item in exactly one page, in their order; at least one page, which may be empty. */
export function pagesOf<T>(
  items: readonly Item<T>[],
  { mostItems, room }: PageLimits,
): (readonly Item<T>[])[] {
  const pages: Item<T>[][] = [[]];
  let length = 0;
  for (const item of items) {
    const last = pages.at(-1) ?? [];
    const size = item.text.length + 1;
    if (last.length > 0 && (last.length >= mostItems || length + size > room)) {
      pages.push([item]);
      length = size;
    } else {
      last.push(item);
      length += size;
    }
  }
  return pages;
}

/** What is shown, as it stands in the id of a button: list, filter and server; the page is put in. */
export interface Place {
  readonly list: string;
  readonly bindingId: string;
  /** Of a team or a kind of log; empty: all. */
  readonly filter: string;
}

/** The page that is meant, within those that there are now: the list may have become shorter. */
export function clampPage(page: number, pages: number): number {
  return Number.isInteger(page) ? Math.max(0, Math.min(page, pages - 1)) : 0;
}

/** At most 100 characters with what stands before it: a filter is cut, and compared by its beginning. */
export function placeId(before: string, { list, bindingId, filter }: Place, page: number): string {
  return `${before}${list}/${page}/${bindingId}/${filter}`.slice(0, 100);
}

/** The inverse, of what follows the name of the action. */
export function placeOf(argument: string): Place & { readonly page: number } {
  const [list = "", page = "", bindingId = "", ...filter] = argument.split("/");
  return { list, page: Number(page), bindingId, filter: filter.join("/") };
}

/** Back and Next where there are several pages; Refresh asks anew in any case. */
export function pageButtons(place: Place, page: number, pages: number): Row {
  // Two buttons of one message may not share an id, so each action has a name of its own.
  const turn = (action: string, label: string, to: number): Button => ({
    kind: "button",
    style: "secondary",
    label,
    id: placeId(`${action}:`, place, to),
    disabled: to < 0 || to >= pages,
  });
  const refresh: Button = {
    kind: "button",
    style: "secondary",
    label: "Refresh",
    id: placeId("server-page:", place, page),
  };
  return pages < 2
    ? [refresh]
    : [turn("server-back", "Back", page - 1), turn("server-next", "Next", page + 1), refresh];
}

/** `page 2 of 5`, for a footer. */
export function pageWords(page: number, pages: number): string | undefined {
  return pages < 2 ? undefined : `Page ${page + 1} of ${pages}`;
}
