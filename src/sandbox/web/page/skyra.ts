import "./skyra-config.ts";
import "@skyra/discord-components-core/discord-action-row.js";
import "@skyra/discord-components-core/discord-embed-description.js";
import "@skyra/discord-components-core/discord-embed-fields.js";
import "@skyra/discord-components-core/discord-messages.js";
import { DiscordAuthorInfo } from "@skyra/discord-components-core/discord-author-info.js";
import { DiscordEmbed } from "@skyra/discord-components-core/discord-embed.js";
import { DiscordEmbedField } from "@skyra/discord-components-core/discord-embed-field.js";
import { DiscordEmbedFooter } from "@skyra/discord-components-core/discord-embed-footer.js";
import { DiscordMention } from "@skyra/discord-components-core/discord-mention.js";
import { DiscordMessage } from "@skyra/discord-components-core/discord-message.js";

/**
 * The components carry the colours of an older Discord, with grey texts too faint to read; these follow the page's
 * own colours in both themes, and give way on a narrow screen.
 */
const patches: readonly (readonly [{ elementStyles: unknown[] }, string])[] = [
  [
    DiscordMessage,
    `:host { color: var(--text); padding: 2px 16px 2px 16px; font-size: 1rem; line-height: 1.375; }
     :host(:hover) { background-color: var(--hover); }
     .discord-message-timestamp, .discord-message-edited { color: var(--faint) !important; font-size: .75rem; }
     .discord-message-timestamp { white-space: nowrap; }
     .discord-message-content { min-width: 0; line-height: 1.375; padding-top: 0; }
     .discord-message-inner-center { align-items: flex-start; }
     .discord-message-body-only-indent { flex: 0 0 56px; width: 56px; margin-left: 0; line-height: 1.375rem; font-size: .6875rem; }
     :host(:hover) .discord-message-timestamp-hover::before { content: attr(datetime); }
     .discord-author-avatar { margin-top: 2px; }
     .discord-message-markup { font-size: 1rem; line-height: 1.375rem; }
     @media (max-width: 480px) {
       :host { padding: 2px 10px; }
       .discord-author-avatar { margin-right: 10px; min-width: 36px; }
       .discord-author-avatar img { width: 36px; height: 36px; }
       .discord-message-body-only-indent { flex-basis: 46px; width: 46px; }
     }`,
  ],
  [DiscordAuthorInfo, ":host .discord-author-username { color: var(--heading); overflow-wrap: anywhere; }"],
  [
    DiscordEmbed,
    `:host { color: var(--text); margin: 4px 0; max-width: 520px; }
     :host .discord-embed-root { flex: 0 1 auto; max-width: 516px; }
     :host .discord-embed-wrapper { background-color: var(--embed) !important; border-color: var(--embed-edge) !important; max-width: 100%; min-width: 0; }
     :host .discord-embed-wrapper .discord-embed-grid { display: grid; grid-template-columns: minmax(0, 1fr) auto; padding: .5rem 1rem 1rem .75rem; }
     ::slotted(*) { min-width: 0; }`,
  ],
  [DiscordEmbedField, ":host { color: var(--text); }"],
  [DiscordEmbedFooter, ":host { color: var(--muted) !important; display: block; overflow-wrap: anywhere; }"],
  [
    DiscordMention,
    `:host { color: var(--mention) !important; background-color: var(--mention-back); cursor: default; }
     :host(:hover) { background-color: var(--mention-back); text-decoration: underline; }`,
  ],
];

/** To be called once, before the first component is made. */
export function patchComponents(): void {
  for (const [component, css] of patches) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    component.elementStyles.push(sheet);
  }
}
