import { dirname, join, resolve } from "node:path";

/** Beside the store, so that one folder holds all of a bot. With Redis there may be several processes: none. */
export function defaultHistory(storeUrl: string): string | null {
  const path = /^sqlite:(.*)$/.exec(storeUrl)?.[1];
  return path === undefined ? null : `sqlite:${join(dirname(path), "history.sqlite")}`;
}

/** A restore would put one copy over the other. */
export function isSameFile(one: string, other = ""): boolean {
  const [path, otherPath] = [one, other].map((url) => /^sqlite:(.+)$/.exec(url)?.[1]);
  return path !== undefined && otherPath !== undefined && resolve(path) === resolve(otherPath);
}
