import type { Choice } from "../src/discord/command.ts";

/** How people name one thing of a list: by a choice, by its number, or by its id. */

/** The choices of a list, in its order; `label` gets the number of its item. */
export function choicesOf<T extends { readonly id: string }>(
  all: readonly T[],
  typed: string,
  label: (one: T, number: number) => string,
): readonly Choice[] {
  const wanted = typed.toLowerCase();
  return all
    .map((one, index) => ({ name: label(one, index + 1), value: one.id }))
    .filter(({ name, value }) => value === typed || name.toLowerCase().includes(wanted));
}

/**
 * The one that was meant; undefined: there is none. Digits alone are a number of the list. The choice of a thing that
 * is gone by now is an id, and an id may begin with digits: it must not reach the thing that has that number now.
 */
export function chosenOf<T extends { readonly id: string }>(all: readonly T[], typed: string): T | undefined {
  return /^\d{1,3}$/.test(typed) ? all[Number(typed) - 1] : all.find(({ id }) => id === typed);
}
