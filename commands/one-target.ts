import { Failure } from "../src/domain/failure.ts";

/** What the game reads as one target and nothing else. */
const ONE_NAME = /^[^\s,:\p{Cc}]+$/u;
const EVERYONE: ReadonlySet<string> = new Set(["all", "others", "me"]);

/** A name that can stand in a command. @throws Failure "bad-command" for one that the game would read otherwise. */
export function oneTarget(name: string): string {
  if (ONE_NAME.test(name) && !EVERYONE.has(name.toLowerCase())) return name;
  throw new Failure("bad-command", "The game would misread this name. Use /run command instead.");
}
