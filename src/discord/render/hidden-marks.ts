/**
 * What names a message of ours for a later reading stands where people do not see it: in the id of a button, or, where
 * a card has none, behind the address of its title. Pure.
 */

/** The first group of the first id that matches. */
export function markIn(componentIds: readonly string[], pattern: RegExp): string | undefined {
  for (const id of componentIds) {
    const mark = pattern.exec(id)?.[1];
    if (mark !== undefined) return mark;
  }
  return undefined;
}

/** For a card without buttons: its title leads to its own place. */
export function markedUrl(
  { guildId, channelId }: { readonly guildId: string; readonly channelId?: string },
  mark: string,
): string {
  const place = channelId === undefined ? guildId : `${guildId}/${channelId}`;
  return `https://discord.com/channels/${place}#${mark}`;
}
