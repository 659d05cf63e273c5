import type { Message } from "./types.ts";
import type { Component } from "./wire.ts";

/** All that a message says, as one text: content, embeds, labels and file names. */
export function textOf(message: Message): string {
  const parts: (string | undefined)[] = [message.content];
  for (const embed of message.embeds) {
    parts.push(embed.author?.name, embed.title, embed.description);
    for (const field of embed.fields ?? []) parts.push(`${field.name}: ${field.value}`);
    parts.push(embed.footer?.text);
  }
  parts.push(...message.components.flatMap(labelsOf));
  parts.push(...message.attachments.map((file) => file.filename));
  return parts.filter((part) => part !== undefined && part !== "").join("\n");
}

function labelsOf(component: Component): readonly string[] {
  if (component.components !== undefined) return component.components.flatMap(labelsOf);
  const shown =
    component.type === 2 ? `[${component.label ?? component.emoji?.name ?? ""}]` : component.placeholder;
  return shown === undefined ? [] : [shown];
}
