import type { DiscordEvent, Member, Message } from "../discord/types.ts";
import { pageSize, views } from "./history.ts";
import type { Answer } from "./protocol.ts";

/** What happened to the messages of the open channel since the page was last told. */
export class MessageChanges {
  readonly #added = new Map<string, Message>();
  readonly #edited = new Map<string, Message>();
  readonly #deleted = new Set<string>();

  note(type: DiscordEvent["type"], message: Message): void {
    if (type === "message-created") this.#added.set(message.id, message);
    else if (type === "message-edited" && !this.#added.has(message.id)) this.#edited.set(message.id, message);
    else if (type === "message-deleted") {
      this.#added.delete(message.id);
      this.#edited.delete(message.id);
      this.#deleted.add(message.id);
    }
  }

  clear(): void {
    this.#added.clear();
    this.#edited.clear();
    this.#deleted.clear();
  }

  /** As that member sees them, which clears them; undefined: nothing happened. */
  take(member: Member): Omit<Extract<Answer, { type: "changes" }>, "type" | "channelId"> | undefined {
    if (this.#added.size + this.#edited.size + this.#deleted.size === 0) return undefined;
    const newest = [...this.#added.values()].slice(-pageSize);
    const changes = {
      added: views(newest, member),
      edited: views([...this.#edited.values()], member),
      deleted: [...this.#deleted],
      skipped: newest.length < this.#added.size,
    };
    this.clear();
    return changes;
  }
}
