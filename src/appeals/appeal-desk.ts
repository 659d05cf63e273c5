import type { Appeal, AppealDecision } from "../domain/appeal.ts";
import { type Case, isOtherBan } from "../domain/case.ts";
import { Failure, SinkRefusal } from "../domain/failure.ts";
import type { Actor } from "../domain/guild.ts";
import type { AppealRenderer, Appeals, PrivateThreads } from "../domain/ports/appeals.ts";
import type { Cases } from "../domain/ports/cases.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { GrantableRoles } from "../domain/ports/member-roles.ts";
import type { Posts } from "../domain/ports/posts.ts";
import type { Settings } from "../domain/ports/settings.ts";
import type { AppealBook } from "./appeal-book.ts";
import type { AppealEnds } from "./appeal-ends.ts";
import type { AppealPosts } from "./appeal-posts.ts";
import { type AppealedCasePorts, appealedCase, caseNow } from "./appealed-case.ts";

export interface AppealDeskPorts extends AppealedCasePorts {
  readonly book: AppealBook;
  readonly shown: Pick<AppealPosts, "show" | "mayBeDecided">;
  readonly settings: Pick<Settings, "of">;
  readonly cases: Pick<Cases, "get" | "search">;
  readonly ends: Pick<AppealEnds, "carryOut">;
  readonly threads: PrivateThreads;
  readonly posts: Pick<Posts, "tryOnce" | "nowMs">;
  readonly owners: Pick<GrantableRoles, "isOwner">;
  readonly renderer: AppealRenderer;
  readonly clock: Clock;
  readonly random: Random;
}

const DAY_MS = 86_400_000;
/** After an answer. */
const AGAIN_AFTER_MS = 7 * DAY_MS;
/** What nobody answers makes room. */
const OPEN_FOR_MS = 60 * DAY_MS;
const MOST_OF_GUILD = 200;
const MOST_CASES = 25;
const MAYBE_ANSWERED =
  "The database was restored from an older copy, so this may have been answered already. I'm reading its card: try again in a minute. If that doesn't help, give me Read Message History in this channel, or ask them to appeal again.";
const LEFT = "They left this Discord server, so they can't read a thread here. Decide without a talk.";

/** What people and staff do with appeals. Each step is written before anything is done that cannot be taken back. */
export class AppealDesk implements Appeals {
  readonly #ports: AppealDeskPorts;
  /** Talks that an attempt before this one may have opened. */
  readonly #mayExist = new Set<string>();

  constructor(ports: AppealDeskPorts) {
    this.#ports = ports;
  }

  async postButton(channelId: string): Promise<void> {
    const { posts, renderer } = this.#ports;
    try {
      await posts.tryOnce(channelId, renderer.button());
    } catch (error) {
      if (!(error instanceof SinkRefusal)) throw error;
      throw new Failure(
        "bad-command",
        "I can't post the button there. Check what I may do in that channel.",
        {
          cause: error,
        },
      );
    }
  }

  async ask(actor: Actor, { typedName, words }: Pick<Appeal, "typedName" | "words">): Promise<Appeal> {
    const { book, settings, clock, random, shown, posts } = this.#ports;
    const { guildId, userId } = actor;
    const { appealChannelId } = await settings.of(guildId);
    if (appealChannelId === undefined) throw new Failure("bad-command", "Appeals are off here.");
    return await book.take(guildId, async () => {
      await this.#dropOld(guildId);
      this.refuseForm(actor);
      const appeal: Appeal = {
        id: random.id(),
        guildId,
        userId,
        atMs: clock.nowMs(),
        channelId: actor.channelId,
        typedName,
        words,
        ...(await appealedCase(this.#ports, { guildId, userId, typedName })),
        card: { channelId: appealChannelId, nonce: random.id().slice(0, 25), sinceMs: posts.nowMs() },
      };
      await book.keep(appeal);
      shown.show(appeal);
      return appeal;
    });
  }

  get(guildId: string, id: string): Appeal {
    return this.#ports.book.get(guildId, id);
  }

  ofPlayer(guildId: string, playerId: number): readonly Appeal[] {
    return this.#ports.book.of(guildId).filter(({ player }) => player?.id === playerId);
  }

  async forgetPlayer(guildId: string, playerId: number): Promise<void> {
    const { book } = this.#ports;
    await book.take(guildId, async () => {
      for (const appeal of this.ofPlayer(guildId, playerId))
        if (appeal.decision?.isDone === true) await book.drop(appeal);
    });
  }

  prove(actor: Actor, id: string): Promise<Appeal> {
    return this.#change(actor, id, async (appeal) => ({ provenBy: actor.userId, ...appeal }));
  }

  async talk(actor: Actor, id: string): Promise<string> {
    const { threads } = this.#ports;
    let threadId = await this.#talkOf(actor, id);
    if ((await threads.add(threadId, actor.userId)) !== "no-thread") return threadId;
    // Somebody deleted it.
    await this.#change(actor, id, async ({ threadId: before, ...appeal }) =>
      before === threadId ? appeal : { ...appeal, ...(before !== undefined && { threadId: before }) },
    );
    threadId = await this.#talkOf(actor, id);
    await threads.add(threadId, actor.userId);
    return threadId;
  }

  /** The thread with who appealed in it. Who left the Discord server and came back is in it no more. */
  async #talkOf(actor: Actor, id: string): Promise<string> {
    const { threads, posts, renderer } = this.#ports;
    await this.#change(actor, id, async (appeal) => ({ ...appeal, isThreadAsked: true }), {
      before: (appeal) => void (appeal.isThreadAsked === true && this.#mayExist.add(id)),
    });
    const opened = await this.#change(actor, id, async (appeal) => {
      const { guildId, channelId } = appeal;
      const mayExist = this.#mayExist.has(id);
      const name = threadName(appeal);
      const threadId = appeal.threadId ?? (await threads.open({ guildId, channelId, name, mayExist }));
      if ((await threads.add(threadId, appeal.userId)) === "no-member")
        throw new Failure("bad-command", LEFT);
      if (appeal.threadId !== undefined) return appeal;
      await posts.tryOnce(threadId, renderer.talk(appeal)).catch(() => undefined);
      return { ...appeal, threadId };
    });
    return opened.threadId ?? "";
  }

  async decide(
    actor: Actor,
    id: string,
    { isAccepted, unbans }: { readonly isAccepted: boolean; readonly unbans: boolean },
  ): Promise<Appeal> {
    const { book, cases, ends, owners, clock } = this.#ports;
    const decided = await this.#change(actor, id, async (appeal) => {
      const one = await caseNow(cases, appeal);
      if (isAccepted && one === undefined)
        throw new Failure("bad-command", "There is no case to revoke. Refuse it, or talk to them first.");
      if (isAccepted && appeal.provenBy === undefined)
        throw new Failure("bad-command", "Say first that the account is theirs.");
      const isOwnCase = one !== undefined && (await this.#isBy(actor, one));
      if (isOwnCase && !owners.isOwner(appeal.guildId, actor.userId))
        throw new Failure(
          "denied",
          "You made this case or asked for its ban. Somebody else has to decide, or the owner of this Discord server.",
        );
      if (isAccepted && one !== undefined) await this.#refuseBannedAgain(appeal, one);
      const decision: AppealDecision = {
        outcome: isAccepted ? "accepted" : "refused",
        byId: actor.userId,
        byName: actor.userName,
        atMs: clock.nowMs(),
        ...(isOwnCase ? { isOwnCase } : {}),
        ...(unbans ? { unban: "asked" as const } : {}),
      };
      return { ...appeal, decision };
    });
    await ends.carryOut(decided);
    return book.find(id) ?? decided;
  }

  async mayDecide(actor: Actor, one: Case): Promise<boolean> {
    return this.#ports.owners.isOwner(actor.guildId, actor.userId) || !(await this.#isBy(actor, one));
  }

  async unbanned({ guildId, id }: Appeal, unban: "ran" | "not-sent" | "asked"): Promise<void> {
    const { book, shown } = this.#ports;
    await book.take(guildId, async () => {
      const appeal = book.find(id);
      if (appeal?.decision === undefined) return;
      await book.keep({ ...appeal, decision: { ...appeal.decision, unban } });
    });
    shown.show({ guildId, id });
  }

  /** By the member, or by their account in the game; a ban that was asked for is of who asked, too. */
  async #isBy({ guildId, userId }: Actor, { author, askedBy }: Case): Promise<boolean> {
    if (askedBy === userId) return true;
    if (author.userId !== undefined || author.playerId === undefined) return author.userId === userId;
    return (await this.#ports.accounts.of(guildId, userId))?.player.id === author.playerId;
  }

  /** To lift one ban lifts what came after it too. @throws Failure "bad-command" */
  async #refuseBannedAgain({ guildId, player }: Appeal, one: Case): Promise<void> {
    if (one.kind !== "ban" || player === undefined) return;
    const filter = { playerId: player.id, kind: "ban", fromMs: one.atMs, limit: MOST_CASES } as const;
    const found = await this.#ports.cases.search(guildId, filter);
    const later = found.find((other) => isOtherBan(one, other));
    if (later === undefined) return;
    const words = `${player.name} has been banned again since then (case ${later.number}). Revoke that one first, or refuse.`;
    throw new Failure("bad-command", words);
  }

  async #change(
    actor: Actor,
    id: string,
    edit: (appeal: Appeal) => Promise<Appeal>,
    { before }: { readonly before?: (appeal: Appeal) => void } = {},
  ): Promise<Appeal> {
    const { book, shown } = this.#ports;
    return await book.take(actor.guildId, async () => {
      const appeal = book.get(actor.guildId, id);
      if (appeal.userId === actor.userId)
        throw new Failure("denied", "This is your own appeal. Somebody else has to answer it.");
      if (appeal.decision !== undefined)
        throw new Failure(
          "expired",
          `It was ${appeal.decision.outcome} already by ${appeal.decision.byName}.`,
        );
      if (shown.mayBeDecided(appeal)) {
        shown.show(appeal);
        throw new Failure("bad-command", MAYBE_ANSWERED);
      }
      before?.(appeal);
      const after = await edit(appeal);
      if (after !== appeal) await book.keep(after);
      shown.show(after);
      return after;
    });
  }

  refuseForm({ guildId, userId }: Pick<Actor, "guildId" | "userId">): void {
    const { book, clock, shown } = this.#ports;
    const all = book.of(guildId).filter((appeal) => !this.#isOld(appeal));
    const own = all.filter((appeal) => appeal.userId === userId);
    if (own.some((appeal) => appeal.decision === undefined && !shown.mayBeDecided(appeal)))
      throw new Failure("bad-command", "You have an appeal that waits for an answer.");
    const nowMs = clock.nowMs();
    // What lies ahead was answered by a clock that has been put right since: it keeps nobody waiting.
    const answeredMs = own.map(({ decision }) => decision?.atMs ?? 0).filter((atMs) => atMs <= nowMs);
    const days = Math.ceil((Math.max(0, ...answeredMs) + AGAIN_AFTER_MS - nowMs) / DAY_MS);
    if (days > 0)
      throw new Failure("bad-command", `You can appeal again in ${days} ${days === 1 ? "day" : "days"}.`);
    if (all.filter(({ decision }) => decision === undefined).length >= MOST_OF_GUILD)
      throw new Failure("bad-command", "Too many appeals wait here. Try again in a few days.");
  }

  async #dropOld(guildId: string): Promise<void> {
    const { book } = this.#ports;
    for (const appeal of book.of(guildId)) if (this.#isOld(appeal)) await book.drop(appeal);
  }

  #isOld({ decision, atMs }: Appeal): boolean {
    const nowMs = this.#ports.clock.nowMs();
    if (decision === undefined) return nowMs - atMs > OPEN_FOR_MS;
    // What is not carried out yet is owed, however long the history was away.
    return decision.isDone === true && nowMs - decision.atMs > AGAIN_AFTER_MS;
  }
}

/** Known again by it after a kill. */
function threadName({ id, typedName }: Appeal): string {
  return `Appeal of ${typedName.slice(0, 40)} ${id.slice(0, 8)}`;
}
