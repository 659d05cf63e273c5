/** What an entry says to a reader, as one text: the same for what is rendered and for what is read back. Pure. */

export function joinText(atS: number, what: string, who: string): string {
  return `join|${atS}|${what}|${who}`;
}

export function killText(atS: number, killer: string, killed: string): string {
  return `kill|${atS}|${killer}|${killed}`;
}

export function commandText(atS: number, who: string, text: string): string {
  return `command|${atS}|${who}|${text}`;
}

export function callText(atS: number, who: string): string {
  return `modCall|${atS}|${who}`;
}

/**
 * Where a power cut set the journal back, the next look shows the same change with a later second: so it is known by the ten
 * minutes that it was seen in.
 */
export const CHANGE_KNOWN_S = 600;

export function changeText(atS: number, who: string, said: readonly string[]): string {
  return `change|${Math.floor(atS / CHANGE_KNOWN_S)}|${who}|${said.join("|")}`;
}

/** A person by name and id, where a line shows both. */
export function token(name: string, id: number | string): string {
  return `${name}#${id}`;
}
