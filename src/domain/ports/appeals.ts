import type { Appeal, AppealDecision } from "../appeal.ts";
import type { Case } from "../case.ts";
import type { SinkRefusalReason } from "../failure.ts";
import type { Actor } from "../guild.ts";
import type { MessageBody, PostedMessage } from "../message.ts";
import type { CaseEvidence } from "../track.ts";

/** What people ask who were punished. Who may answer is checked by who asks. */
export interface Appeals {
  /** Where people appeal. @throws Failure "bad-command" where it cannot be posted. */
  postButton(channelId: string): Promise<void>;
  /** From memory, before the form opens. @throws Failure "bad-command" where one of theirs waits or was answered a short while ago. */
  refuseForm(actor: Pick<Actor, "guildId" | "userId">): void;
  /** @throws Failure "bad-command" where appeals are off, or one of theirs waits or was answered a short while ago. */
  ask(actor: Actor, wanted: Pick<Appeal, "typedName" | "words">): Promise<Appeal>;
  /** @throws Failure "expired" where it is gone. */
  get(guildId: string, id: string): Appeal;
  /** The account is theirs, says this member of staff. @throws Failure "expired", "denied" */
  prove(actor: Actor, id: string): Promise<Appeal>;
  /** The private thread with who appealed and who pressed. @throws Failure "expired", "denied" */
  talk(actor: Actor, id: string): Promise<string>;
  /**
   * Decides once; the case is revoked, and who appealed is told. `unbans`: a command follows that lifts a ban.
   * @throws Failure "denied" for who appealed and who made the case; "expired" where it was decided already.
   */
  decide(
    actor: Actor,
    id: string,
    how: { readonly isAccepted: boolean; readonly unbans: boolean },
  ): Promise<Appeal>;
  /** Whether they may decide about this case: who made it may not, unless they own the guild. */
  mayDecide(actor: Actor, one: Case): Promise<boolean>;
  /** Appeals of whoever is that player, in the order of asking. */
  ofPlayer(guildId: string, playerId: number): readonly Appeal[];
  /** Erases those of that player that were answered and carried out. Rejects when the store does. */
  forgetPlayer(guildId: string, playerId: number): Promise<void>;
  /** What became of the command. */
  unbanned(appeal: Appeal, unban: "ran" | "not-sent" | "asked"): Promise<void>;
}

/** What staff see of an appeal. */
export interface AppealPack {
  readonly appeal: Appeal;
  readonly one: Case | undefined;
  /** The case that lifted its ban. */
  readonly lift: Case | undefined;
  readonly evidence: CaseEvidence | undefined;
  /** Other cases of the player that count, newest first. */
  readonly earlier: readonly Case[];
}

/** How it reads. Pure. */
export interface AppealRenderer {
  button(): MessageBody;
  card(pack: AppealPack): MessageBody;
  isCard(id: string, posted: PostedMessage): boolean;
  /** What its card says was decided; undefined: nothing. */
  decisionOn(posted: Pick<PostedMessage, "cards">): AppealDecision | undefined;
  /** The first message of the talk. */
  talk(appeal: Appeal): MessageBody;
  /** For who appealed. */
  decided(appeal: Appeal): MessageBody;
  /** For the guild: its channel takes no messages. */
  closed(channelId: string, why: SinkRefusalReason): MessageBody;
}

/** Threads that only those see who were added. Rejects with a Failure where Discord refuses. */
export interface PrivateThreads {
  /** `mayExist`: one of that name may have been opened before, and is taken then. */
  open(wanted: {
    readonly guildId: string;
    readonly channelId: string;
    readonly name: string;
    readonly mayExist: boolean;
  }): Promise<string>;
  /** Also takes it out of the archive. no-thread: somebody deleted it. no-member: they are not in the Discord server. */
  add(threadId: string, userId: string): Promise<"added" | "no-thread" | "no-member">;
}
