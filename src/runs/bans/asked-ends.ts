import type { AskedBan, AskedBanEnd } from "../../domain/asked-ban.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { Notifier, OwedMessages } from "../../domain/ports/notifier.ts";
import type { RunRenderer } from "../../domain/ports/run-renderer.ts";

export interface AskedEndsPorts {
  readonly notifier: Pick<Notifier, "guild">;
  readonly owed: OwedMessages;
  readonly renderer: Pick<RunRenderer, "askedBanOver" | "askedBanEnded" | "askedBanRefused">;
}

/** Says that a ban does not wait any more, on the message that says that it does, and where nobody looks at that. */
export class AskedEnds {
  readonly #ports: AskedEndsPorts;

  constructor(ports: AskedEndsPorts) {
    this.#ports = ports;
  }

  async showEnded(asked: AskedBan, end: AskedBanEnd): Promise<void> {
    await this.#show(asked, this.#ports.renderer.askedBanEnded(asked, end));
  }

  async showRefused(asked: AskedBan, byId: string): Promise<void> {
    await this.#show(asked, this.#ports.renderer.askedBanRefused(asked, byId));
  }

  /** Where it had been approved. */
  async tellUnsent(asked: AskedBan, why: string, advice: { readonly mayAskAgain: boolean }): Promise<void> {
    const { notifier, renderer } = this.#ports;
    await notifier.guild(asked.guildId, renderer.askedBanOver(asked, why, advice), asked.approval?.byId);
  }

  async #show({ id, guildId, approval }: AskedBan, body: MessageBody): Promise<void> {
    if (approval?.messageId === undefined) return;
    const { channelId, messageId } = approval;
    const ways = [{ to: "edit", channelId, messageId, body }] as const;
    await this.#ports.owed.owe({ id: `asked ban ${id}`, guildId, ways, body });
  }
}
