import type { Case, CaseCard, CaseDraft, CaseUndo, Receipt } from "../../domain/case.ts";
import { Failure } from "../../domain/failure.ts";
import type { Actor } from "../../domain/guild.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { CaseRenderer } from "../../domain/ports/case-renderer.ts";
import type { CaseChange, CaseFilter, CaseSummary, Cases, ErasedCases } from "../../domain/ports/cases.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { HistoryPositions } from "../../domain/ports/history.ts";
import type { Notifier, OwedMessages } from "../../domain/ports/notifier.ts";
import type { Posts } from "../../domain/ports/posts.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { RunRecord } from "../../domain/run.ts";
import { originOfRun, toldByRun } from "./case-of-command.ts";
import { CasePosts, type CasePostsPorts } from "./case-posts.ts";
import { type AddedCase, type CaseStore, MOST_CASES } from "./case-store.ts";
import { edited, owing, paid, revoked, undone } from "./change-case.ts";
import { showLaterWarnings, warningsOf } from "./counted-warnings.ts";
import { liftOf, showLifted } from "./lifted-bans.ts";
import { postViewOf } from "./post-view.ts";
import { isComplete, merged, RECEIPT_OPEN_MS } from "./receipt.ts";
import { mayClaimSearch, SearchEnds } from "./search-ends.ts";

/** Cases that a start looks at again at once: those of all guilds come, also of such as another process serves. */
const RECOVERED_AT_ONCE = 1_000;
/** A card that Discord or the process held back for so long is still posted. */
const UNPOSTED_MS = 7 * 24 * 60 * 60_000;
const LATEST_OF_PLAYER = 3;
const FULL_WORDS = `${MOST_CASES.toLocaleString("en")} cases are saved here, the maximum. \`/history forget\` erases a player's cases.`;
const ERASED_AT_ONCE = 100;

export interface CaseBookPorts extends Pick<CasePostsPorts, "onChanged"> {
  readonly store: CaseStore;
  readonly settings: Pick<Settings, "of">;
  readonly posts: Posts;
  readonly owed: OwedMessages;
  readonly notifier: Pick<Notifier, "guild">;
  readonly renderer: CaseRenderer;
  readonly hasReplay: HistoryPositions["hasReplay"];
  readonly clock: Clock;
  readonly random: Random;
  /** Whether this process serves a guild; the cards of others are another process's. */
  isOurs(guildId: string): boolean;
  report(what: string, error: unknown): void;
}

/** The cases of all guilds: numbered, changed one at a time, shown in the case channel. */
export class CaseBook implements Cases {
  readonly isKept = true;
  readonly #ports: CaseBookPorts;
  readonly #posts: CasePosts;
  readonly #changes = new KeyedMutex();
  /** Cases whose receipt may still grow: `guild number`. */
  readonly #open = new Map<string, Case>();
  readonly #searchEnds: SearchEnds;
  /** Guilds that were told that no more cases are kept. */
  readonly #told = new Set<string>();

  constructor(ports: CaseBookPorts) {
    this.#ports = ports;
    this.#posts = new CasePosts({
      ...ports,
      current: async (guildId, number) => {
        const one = await ports.store.get(guildId, number);
        return one && (await postViewOf(ports, one));
      },
      note: async ({ guildId, number }, card) => {
        const { after } = await this.#change(guildId, number, (one) =>
          one.card === undefined ? one : { ...one, card: { ...one.card, ...card } },
        );
        return after !== undefined;
      },
      onShown: async ({ guildId, number }, owed) => {
        await this.#change(guildId, number, (one) => paid(one, owed));
      },
    });
    this.#searchEnds = new SearchEnds({
      clock: ports.clock,
      show: (guildId, number) => this.#posts.show(guildId, number),
    });
  }

  /** Takes up receipts and cards that an earlier process left open. */
  async start(): Promise<void> {
    const { store, clock } = this.#ports;
    const sinceMs = clock.nowMs() - UNPOSTED_MS;
    for (let after: Case | undefined; ; ) {
      const page = await store.open(sinceMs, { limit: RECOVERED_AT_ONCE, after });
      for (const one of page) if (this.#ports.isOurs(one.guildId)) this.#recover(one);
      after = page.at(-1);
      if (page.length < RECOVERED_AT_ONCE) return;
    }
  }

  #recover(one: Case): void {
    const nowMs = this.#ports.clock.nowMs();
    const isYoung = nowMs - one.atMs <= RECEIPT_OPEN_MS;
    const { card } = one;
    const isShown = card?.messageId !== undefined && card.owed === undefined;
    if (!isYoung && isShown && !mayClaimSearch(one, nowMs)) return;
    // Of an older one a card that was never posted is owed, or one that is not true any more.
    this.#follow(one);
    this.#posts.recover(one);
  }

  async add(draft: CaseDraft): Promise<Case> {
    const { one, isFull } = await this.record(draft);
    if (isFull === true) throw new Failure("bad-command", FULL_WORDS);
    return one;
  }

  /** The same draft twice is one case. Where the guild has as many as it may, there is none, and it is told so once. */
  async record(draft: CaseDraft): Promise<AddedCase> {
    const added = await this.#ports.store.add(draft, await this.#newCard(draft.guildId));
    if (added.isFull === true) await this.#tellFull(draft.guildId);
    if (added.isNew) {
      this.#follow(added.one);
      await this.#show(added.one);
    }
    return added;
  }

  get(guildId: string, number: number): Promise<Case | undefined> {
    return this.#ports.store.get(guildId, number);
  }

  ofRun(guildId: string, runId: string): Promise<Case | undefined> {
    return this.#ports.store.byOrigin(guildId, originOfRun(runId));
  }

  liftOf(one: Case): Promise<Case | undefined> {
    return liftOf(this.#ports.store, one);
  }

  search(guildId: string, filter: CaseFilter): Promise<readonly Case[]> {
    return this.#ports.store.search(guildId, filter);
  }

  async summary(
    guildId: string,
    playerId: number,
    of: Pick<CaseFilter, "bindingIds"> = {},
  ): Promise<CaseSummary> {
    const { store } = this.#ports;
    const [counts, latest] = await Promise.all([
      store.counts(guildId, playerId, { ...of, sinceMs: 0 }),
      store.search(guildId, { ...of, playerId, limit: LATEST_OF_PLAYER }),
    ]);
    return { counts, latest };
  }

  edit(actor: Actor, number: number, change: CaseChange): Promise<Case | undefined> {
    const by = { userId: actor.userId, atMs: this.#ports.clock.nowMs() };
    return this.#shown(actor.guildId, number, (one) => edited(one, change, by));
  }

  revoke(
    { guildId, userId }: Pick<Actor, "guildId" | "userId">,
    number: number,
    why: string | undefined,
  ): Promise<Case | undefined> {
    const by = { userId, atMs: this.#ports.clock.nowMs() };
    return this.#shown(guildId, number, (one) => revoked(one, by, why));
  }

  warnings(one: Pick<Case, "guildId" | "bindingId">, playerId: number): Promise<number> {
    const { store, clock } = this.#ports;
    return warningsOf(store, one, { playerId, nowMs: clock.nowMs() });
  }

  async eraseOf(guildId: string, playerId: number): Promise<ErasedCases> {
    const { store } = this.#ports;
    let cases = 0;
    for (let before: number | undefined; ; ) {
      const page = before === undefined ? {} : { before };
      const found = await store.search(guildId, { playerId, limit: ERASED_AT_ONCE, ...page });
      for (const { number } of found) {
        const done = await this.#changes.take(`${guildId} ${number}`, async () => {
          // As it is now: its card may have been posted since it was found.
          const one = await store.get(guildId, number);
          // Owed first: nobody would know of its card any more where the process ends in between.
          if (isAboutOnly(one, playerId)) await this.#posts.erase(one);
          return await store.erasePlayer(guildId, number, playerId).catch((error: unknown) => {
            // It is still there, and so is what its card says.
            this.#posts.show(guildId, number);
            throw error;
          });
        });
        if (done === undefined) continue;
        cases += 1;
        this.#open.delete(`${guildId} ${number}`);
        this.#searchEnds.forget({ guildId, number });
        if (done === "changed") await this.#change(guildId, number, (rest) => rest);
        this.#posts.show(guildId, number);
      }
      before = found.at(-1)?.number;
      if (before === undefined) return { cases };
    }
  }

  async #tellFull(guildId: string): Promise<void> {
    if (this.#told.has(guildId)) return;
    this.#told.add(guildId);
    const { notifier, renderer, report } = this.#ports;
    await notifier
      .guild(guildId, renderer.full(MOST_CASES))
      .catch((error: unknown) => report("a guild could not be told that no more cases are kept", error));
  }

  /** Adds what is newly known to the receipt of a punishment. */
  async complete(guildId: string, number: number, receipt: Receipt): Promise<void> {
    await this.#shown(guildId, number, (one) => {
      const next = merged(one.receipt ?? { left: [] }, receipt);
      return JSON.stringify(next) === JSON.stringify(one.receipt) ? one : { ...one, receipt: next };
    });
  }

  /** Says on the case of a run that it was taken back. False: there is no such case. */
  async undo(guildId: string, undoneId: string, undo: CaseUndo): Promise<boolean> {
    const one = await this.ofRun(guildId, undoneId);
    if (one === undefined) return false;
    await this.#shown(guildId, one.number, (now) => undone(now, undo));
    return true;
  }

  /** Says on a warning that its player was told of it; who told first stays. */
  async tell(record: RunRecord): Promise<void> {
    const told = toldByRun(record);
    if (told === undefined) return;
    const { number, ...of } = told;
    await this.#shown(record.guildId, number, (now) => (now.told === undefined ? { ...now, told: of } : now));
  }

  /** Cases of a server whose receipt may still grow. */
  openOn(bindingId: string): readonly Case[] {
    const nowMs = this.#ports.clock.nowMs();
    for (const [key, { atMs }] of this.#open) if (nowMs - atMs > RECEIPT_OPEN_MS) this.#open.delete(key);
    return [...this.#open.values()].filter((one) => one.bindingId === bindingId);
  }

  /** Changes it and brings its card up to date. */
  async #shown(guildId: string, number: number, edit: (one: Case) => Case): Promise<Case | undefined> {
    const { before, after } = await this.#change(guildId, number, (one) => {
      const next = edit(one);
      return next === one ? one : owing(next);
    });
    if (after !== undefined && after !== before) await this.#show(after);
    return after;
  }

  /** The card of a case, and those that say something of it: of bans that it lifts, of warnings that counted it. */
  async #show(one: Case): Promise<void> {
    this.#posts.show(one.guildId, one.number);
    const owe = async ({ guildId, number }: Case) => {
      await this.#change(guildId, number, owing);
      this.#posts.show(guildId, number);
    };
    await showLifted(this.#ports, one, owe);
    await showLaterWarnings(this.#ports, one, owe);
  }

  async #change(
    guildId: string,
    number: number,
    edit: (one: Case) => Case,
  ): Promise<{ readonly before: Case | undefined; readonly after: Case | undefined }> {
    return await this.#changes.take(`${guildId} ${number}`, async () => {
      const before = await this.#ports.store.get(guildId, number);
      if (before === undefined) return { before, after: undefined };
      const after = edit(before);
      if (after !== before) await this.#ports.store.put(after);
      this.#follow(after);
      return { before, after };
    });
  }

  /** Shows no end of a search any more. */
  stop(): void {
    this.#searchEnds.stop();
  }

  #follow(one: Case): void {
    const key = `${one.guildId} ${one.number}`;
    this.#searchEnds.follow(one);
    const isYoung = this.#ports.clock.nowMs() - one.atMs <= RECEIPT_OPEN_MS;
    if (isYoung && !isComplete(one)) this.#open.set(key, one);
    else this.#open.delete(key);
  }

  async #newCard(guildId: string): Promise<CaseCard | undefined> {
    const { settings, posts, random } = this.#ports;
    const { caseChannelId: channelId } = await settings.of(guildId);
    if (channelId === undefined) return undefined;
    return { channelId, nonce: random.id().slice(0, 25), sinceMs: posts.nowMs() };
  }
}

function isAboutOnly(one: Case | undefined, id: number): one is Case {
  return one?.targets.every(({ playerId }) => playerId === id) === true;
}
