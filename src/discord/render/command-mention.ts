import { type Escaped, markdownOfOurs } from "../../domain/escaped.ts";

/** A command of ours that can be pressed where its id is known, else in code. `path`: without the slash, as it is typed. */
export function commandMention(path: string, commandId: (name: string) => string | undefined): Escaped {
  const id = commandId(path.split(" ")[0] ?? "");
  return markdownOfOurs(id === undefined ? `\`/${path}\`` : `</${path}:${id}>`);
}
