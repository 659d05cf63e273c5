/** What people type to have no filter, team or quiet hours. Pure. */

const NONE = new Set(["-", "none", "no", "off", "all"]);

/** No team or command is called so, and nobody means a player of that name. */
export function meansNone(typed: string): boolean {
  return NONE.has(typed.trim().toLowerCase());
}
