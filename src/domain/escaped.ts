/**
 * Text that may stand where Discord reads Markdown. Outside words become it only by an escape of discord/render, so
 * a name that nobody escaped is a type error and not a ping, a link or a spoofed line.
 */
export type Escaped = string & { readonly __escaped: unique symbol };

/** Words that stand in the source are ours: a literal type passes, a `string` from anywhere does not. */
type Ours<Part> = Part extends Escaped | number
  ? Part
  : Part extends string
    ? Record<never, never> extends Record<Part, 1>
      ? never
      : Part
    : never;
type AllOurs<Parts extends readonly unknown[]> = { readonly [At in keyof Parts]: Ours<Parts[At]> };

/**
 * Our own words with what is put into them: `` md`**${inlineName(name)}** joined` ``. Takes escaped parts, numbers and
 * literals (`md`${isOut ? "left" : "joined"}``); a plain `string` is a type error.
 */
export function md<const Parts extends readonly (string | number)[]>(
  ours: TemplateStringsArray,
  ...parts: Parts & AllOurs<Parts>
): Escaped {
  return markdownOfOurs(ours.map((text, at) => (at < parts.length ? `${text}${parts[at]}` : text)).join(""));
}

/** Parts in one text, with `between` among them; empty parts stay, such as an empty line. */
export function joined<const Part extends string>(
  parts: readonly (Part & Ours<Part>)[],
  between: "\n" | "\n\n" | " " | ", " | " · " | "",
): Escaped {
  return markdownOfOurs(parts.join(between));
}

/**
 * Markdown that this bot wrote before: read back from the store, or a constant that is a value and no template.
 * Never for words of others; those go through discord/render/escape.ts.
 */
export function markdownOfOurs(text: string): Escaped {
  return text as Escaped;
}

/** Shown as the role's name; pings only where a message allows that very role. */
export function roleMention(roleId: string): Escaped {
  return markdownOfOurs(`<@&${roleId}>`);
}

/** Shown as the person's name. */
export function userMention(userId: string): Escaped {
  return markdownOfOurs(`<@${userId}>`);
}

/** Shown as a link to the channel. */
export function channelMention(channelId: string): Escaped {
  return markdownOfOurs(`<#${channelId}>`);
}
