import { Failure } from "../domain/failure.ts";
import type { ServerState, Snapshot, SourceId } from "../domain/model.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Demands } from "../domain/ports/demands.ts";
import { type GameSession, isOn, isOver, type PastSession, type SessionFigures } from "../domain/session.ts";
import type { ServerKey, SessionBook } from "./session-book.ts";
import { type SessionPosts, SUMMARY } from "./session-posts.ts";
import type { KeptSession } from "./session-records.ts";
import { isFinished, MOST_PAST, overByItselfMs, seenWith, stepOf } from "./session-steps.ts";

export interface SessionWatchPorts {
  readonly book: SessionBook;
  readonly posts: SessionPosts;
  readonly bindings: Pick<Bindings, "linkedOf" | "guildsOf">;
  readonly demands: Demands;
  readonly clock: Clock;
  latest(source: SourceId): ServerState | undefined;
  /** Up to when the history knows a server, epoch seconds. off: it keeps none of that guild. */
  lookedS(server: ServerKey): Promise<number | undefined | "off">;
  /** Rejects with Failure "store" while it cannot be read. */
  figures(server: ServerKey, span: { readonly fromS: number; readonly toS: number }): Promise<SessionFigures>;
  report(what: string, error: unknown): void;
}

const LOOK_EVERY_MS = 15_000;
/** Not while everything starts. */
const FIRST_LOOK_MS = 1_000;

/** Keeps sessions going without anybody asking: what looks show, deadlines, cards, and what is said at the end. */
export class SessionWatch {
  readonly #ports: SessionWatchPorts;
  /** By the monotonic clock. */
  #beganMs = 0;
  #cancel: () => void = () => undefined;
  #isStopped = false;
  /** By session: one that waits for the history holds up no other. */
  readonly #stepping = new Map<string, Promise<void>>();
  readonly #writing = new Set<Promise<unknown>>();

  constructor(ports: SessionWatchPorts) {
    this.#ports = ports;
  }

  start(): void {
    this.#beganMs = this.#ports.clock.monotonicMs();
    this.#lookLater(FIRST_LOOK_MS);
  }

  /** Waits for what is being written. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await Promise.all([...this.#stepping.values(), ...this.#writing]);
  }

  onChanged(session: GameSession): void {
    this.#demand(session);
  }

  /** An answer of a server. Waits for nothing. */
  take(look: Snapshot): void {
    if (this.#isStopped) return;
    const { bindings, book, clock, report } = this.#ports;
    const nowMs = clock.nowMs();
    for (const guildId of bindings.guildsOf(look.source)) {
      for (const { id: bindingId, source } of bindings.linkedOf(guildId)) {
        const session = source === look.source ? book.current({ guildId, bindingId }) : undefined;
        if (session === undefined || seenWith(session, look, nowMs) === session) continue;
        const writing: Promise<unknown> = book
          .change(session.id, (now) => seenWith(now, look, nowMs))
          .catch((error: unknown) => report("what was seen of a session could not be kept", error))
          .finally(() => this.#writing.delete(writing));
        this.#writing.add(writing);
      }
    }
  }

  stateOf({ guildId, bindingId }: ServerKey): ServerState | undefined {
    const source = this.#sourceOf({ guildId, bindingId });
    return source === undefined ? undefined : this.#ports.latest(source);
  }

  /** A server was unlinked: what is voted about, or is on there, is over. */
  async onUnlinked(server: ServerKey): Promise<void> {
    const session = this.#ports.book.current(server);
    if (session !== undefined) await this.#close(session, "unlinked");
  }

  /** The store was put back from a copy: what was going on in it is over by now, or was begun anew since. */
  async onRestored(): Promise<void> {
    for (const session of this.#ports.book.all())
      if (!isOver(session)) await this.#close(session, "restored");
  }

  async #close({ id }: GameSession, why: "unlinked" | "restored"): Promise<void> {
    const { book, clock, posts } = this.#ports;
    const atMs = clock.nowMs();
    const kept = await book.change(id, (now) => ({
      ...now,
      ...(isOn(now) ? { end: { atMs, why } } : { vote: now.vote && { ...now.vote, end: why } }),
    }));
    if (kept === undefined) return;
    this.#demand(kept);
    posts.show(kept);
  }

  /** The bot was removed from a guild: its messages stay as they are. */
  async onGuildRemoved(guildId: string): Promise<void> {
    const { book } = this.#ports;
    for (const session of book.all()) {
      if (session.guildId !== guildId) continue;
      this.#ports.demands.put(ownerOf(session), []);
      await book.take(session, () => book.forget(session.id));
    }
  }

  #lookLater(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#ports.clock.after(delayMs, () => {
      this.#look();
      this.#lookLater(LOOK_EVERY_MS);
    });
  }

  #look(): void {
    for (const { id } of this.#ports.book.all()) {
      if (this.#stepping.has(id)) continue;
      const what = "a session could not be kept going; it is tried again";
      const stepping = this.#step(id)
        .catch((error: unknown) => this.#ports.report(what, error))
        .finally(() => this.#stepping.delete(id));
      this.#stepping.set(id, stepping);
    }
  }

  async #step(id: string): Promise<void> {
    const { book, posts, clock } = this.#ports;
    const session = book.of(id);
    if (session === undefined) return;
    // A process may have ended between the unlinking and what follows from it.
    if (this.#sourceOf(session) === undefined && !isOver(session)) await this.onUnlinked(session);
    this.#demand(session);
    const step = stepOf(session, clock.nowMs());
    switch (step) {
      case "nothing":
        break;
      case "miss":
        await book.take(session, async () => {
          const now = book.of(id);
          if (now?.vote === undefined || stepOf(now, clock.nowMs()) !== "miss") return;
          await book.pauseVotes(now, now.vote.untilMs);
          await book.keep({ ...now, vote: { ...now.vote, end: "missed" } });
        });
        break;
      case "end":
        await book.change(id, (now) => {
          const nowMs = clock.nowMs();
          const end = { atMs: overByItselfMs(now, nowMs), why: "limit" } as const;
          return stepOf(now, nowMs) === "end" ? { ...now, end } : now;
        });
        break;
      case "sum-up":
        await this.#sumUp(session);
        break;
      case "forget":
        await book.take(session, async () => {
          const now = book.of(id);
          if (now !== undefined && isFinished(now)) await book.forget(id);
        });
        break;
      default:
        step satisfies never;
    }
    const now = book.of(id);
    if (now === undefined) return;
    this.#demand(now);
    posts.show(now);
  }

  /** Waits until the history has all of it; not for ever. */
  async #sumUp(session: KeptSession): Promise<void> {
    const { book, posts } = this.#ports;
    const figures = await this.#figuresOf(session);
    if (figures === "later") return;
    await book.take(session, async () => {
      const now = book.of(session.id);
      const { start, end } = now ?? {};
      if (now === undefined || start === undefined || end === undefined || now.past !== undefined) return;
      const { seen } = now;
      const past: PastSession = {
        id: now.id,
        fromMs: start.atMs,
        untilMs: end.atMs,
        peak: seen.peak,
        staffSeen: seen.staffIds.length,
        figures,
      };
      // First there, where it counts once by its id: a kill between the two changes nothing.
      const page = await book.page(now);
      const others = page.past.filter(({ id }) => id !== past.id);
      await book.keepPage(now, { ...page, past: [...others, past].slice(-MOST_PAST) });
      posts.own(now.id, SUMMARY);
      await book.keep({ ...now, past, posts: [...now.posts, posts.begin(SUMMARY)] });
    });
  }

  async #figuresOf(session: KeptSession): Promise<PastSession["figures"] | "later"> {
    const { clock, lookedS, figures } = this.#ports;
    const fromS = Math.floor((session.start?.atMs ?? 0) / 1_000);
    const endMs = session.end?.atMs ?? 0;
    const toS = Math.ceil(endMs / 1_000);
    // What happened up to the end while the process was down is read after its start.
    const runsMs = clock.monotonicMs() - this.#beganMs;
    const waitedMs = Math.min(Math.abs(clock.nowMs() - endMs), runsMs);
    try {
      const reachedS = await lookedS(session);
      if (reachedS === "off") return "off";
      if ((reachedS ?? 0) < toS && waitedMs < HISTORY_WITHIN_MS) return "later";
      return await figures(session, { fromS, toS });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return waitedMs < DATABASE_WITHIN_MS ? "later" : "unknown";
    }
  }

  /** A session that is on wants to be looked at. */
  #demand(session: GameSession): void {
    const source = isOn(session) ? this.#sourceOf(session) : undefined;
    const wanted = source === undefined ? [] : [{ source, lists: LISTS, guildId: session.guildId }];
    this.#ports.demands.put(ownerOf(session), wanted);
  }

  #sourceOf({ guildId, bindingId }: ServerKey): SourceId | undefined {
    return this.#ports.bindings.linkedOf(guildId).find(({ id }) => id === bindingId)?.source;
  }
}

const LISTS = ["players", "queue"] as const;
/** The next look after the end may be long in coming. */
const HISTORY_WITHIN_MS = 5 * 60_000;
/** Its database may be away. */
const DATABASE_WITHIN_MS = 60 * 60_000;

function ownerOf({ id }: Pick<GameSession, "id">): string {
  return `session:${id}`;
}
