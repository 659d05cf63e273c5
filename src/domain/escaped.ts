/**
 * Text that is safe where Discord reads Markdown. Outside text becomes it only by an escape of discord/render, so an
 * unescaped name is a type error and not a ping, a link or a spoofed line.
 */
export type Escaped = string & { readonly __escaped: unique symbol };

/** A text that is written in the source: a literal type passes, a `string` does not. */
type Ours<Part> = Part extends Escaped | number
  ? Part
  : Part extends string
    ? Record<never, never> extends Record<Part, 1>
      ? never
      : Part
    : never;
type AllOurs<Parts extends readonly unknown[]> = { readonly [At in keyof Parts]: Ours<Parts[At]> };

/**
 * A template of ours with its parts: `` md`**${inlineName(name)}** joined` ``. Takes escaped parts, numbers and
 * literals (`md`${isOut ? "left" : "joined"}``); a plain `string` is a type error.
 */
export function md<const Parts extends readonly (string | number)[]>(
  ours: TemplateStringsArray,
  ...parts: Parts & AllOurs<Parts>
): Escaped {
  return markdownOfOurs(ours.map((text, at) => (at < parts.length ? `${text}${parts[at]}` : text)).join(""));
}

/** Joins parts with `between`; an empty part stays, such as an empty line. */
export function joined<const Part extends string>(
  parts: readonly (Part & Ours<Part>)[],
  between: "\n" | "\n\n" | " " | ", " | " · " | " → " | " or " | "",
): Escaped {
  return markdownOfOurs(parts.join(between));
}

/**
 * Marks text as safe: Markdown of ours that was read back, or a constant that is no template. Outside text must go
 * through discord/render/escape.ts instead.
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
