import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { Documents } from "../domain/ports/documents.ts";
import { isOver } from "../domain/session.ts";
import type { KeptSession, SessionPage } from "./session-records.ts";

export interface SessionBookPorts {
  readonly sessions: Documents<KeptSession>;
  readonly pages: Documents<SessionPage>;
}

export type ServerKey = Pick<KeptSession, "guildId" | "bindingId">;

/** Sessions that are not done with, in memory as they are stored; changes of one server come one after another. */
export class SessionBook {
  readonly #ports: SessionBookPorts;
  readonly #sessions = new Map<string, KeptSession>();
  readonly #mutex = new KeyedMutex();

  constructor(ports: SessionBookPorts) {
    this.#ports = ports;
  }

  /** Rejects when the store fails. */
  async load(): Promise<void> {
    for await (const [id, session] of this.#ports.sessions.entries()) this.#sessions.set(id, session);
  }

  of(id: string): KeptSession | undefined {
    return this.#sessions.get(id);
  }

  all(): readonly KeptSession[] {
    return [...this.#sessions.values()];
  }

  /** Also what is over and has not said its last. */
  ofServer({ guildId, bindingId }: ServerKey): readonly KeptSession[] {
    return this.all().filter((session) => session.guildId === guildId && session.bindingId === bindingId);
  }

  /** What is voted about, or is on. */
  current(server: ServerKey): KeptSession | undefined {
    return this.ofServer(server).find((session) => !isOver(session));
  }

  /** Runs work that reads and then writes. */
  take<T>({ guildId, bindingId }: ServerKey, work: () => Promise<T>): Promise<T> {
    return this.#mutex.take(`${guildId}:${bindingId}`, work);
  }

  /** Within `take`. What stands in memory is what stands in the store. */
  async keep(session: KeptSession): Promise<KeptSession> {
    await this.#ports.sessions.set(session.id, session);
    this.#sessions.set(session.id, session);
    return session;
  }

  async forget(id: string): Promise<void> {
    await this.#ports.sessions.delete(id);
    this.#sessions.delete(id);
  }

  /** Changes one that is not done with; the same object back: nothing is written. Undefined: there is none any more. */
  async change(id: string, edit: (session: KeptSession) => KeptSession): Promise<KeptSession | undefined> {
    const known = this.#sessions.get(id);
    if (known === undefined) return undefined;
    return await this.take(known, async () => {
      const before = this.#sessions.get(id);
      if (before === undefined) return undefined;
      const after = edit(before);
      return after === before ? before : await this.keep(after);
    });
  }

  async page({ guildId, bindingId }: ServerKey): Promise<SessionPage> {
    return (await this.#ports.pages.get(`${guildId}:${bindingId}`)) ?? { guildId, past: [] };
  }

  /**
   * Within `take`. A vote ends without a session, and the next one waits. Written before the vote is closed, so that a kill
   * between the two loses nothing.
   */
  async pauseVotes(server: ServerKey, voteEndedMs: number): Promise<void> {
    await this.keepPage(server, { ...(await this.page(server)), voteEndedMs });
  }

  /** Within `take`. */
  async keepPage({ guildId, bindingId }: ServerKey, page: SessionPage): Promise<void> {
    await this.#ports.pages.set(`${guildId}:${bindingId}`, page);
  }
}
