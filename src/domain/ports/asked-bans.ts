import type { AskedBan } from "../asked-ban.ts";
import type { Actor, Binding } from "../guild.ts";
import type { SubmittedRun } from "../run.ts";

/** Bans that people ask for who may not ban. */
export interface AskedBans {
  /**
   * @throws Failure "denied" for staff of the game and protected players; "bad-command" where it cannot be asked for, or
   * too many wait.
   */
  ask(
    actor: Actor,
    wanted: Pick<AskedBan, "player" | "reason"> & { readonly binding: Binding },
  ): Promise<AskedBan>;
  /** Undefined: it was answered, or nobody did in time. */
  get(guildId: string, id: string): AskedBan | undefined;
  /** Of a guild, the oldest first. */
  list(guildId: string): readonly AskedBan[];
  /** The roles whose members may say yes. */
  approverRoles(asked: Pick<AskedBan, "guildId" | "bindingId">): Promise<readonly string[]>;
  /**
   * Sends the ban now. @throws Failure "denied" for who asked and who may not ban; "expired" where it was answered
   * already.
   */
  approve(actor: Actor, id: string): Promise<SubmittedRun>;
  /**
   * The message that was pressed is about to say that it waits: from then on that message says what came of it. Undefined:
   * it does not wait.
   */
  showWaiting(actor: Actor, id: string, messageId?: string): Promise<AskedBan | undefined>;
  /** No, or no longer: for who asked and for who may ban. @throws Failure "denied"; "expired" where it is gone or being sent. */
  refuse(actor: Actor, id: string): Promise<AskedBan>;
}
