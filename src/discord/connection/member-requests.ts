import { type Client, Events } from "discord.js";
import type { Clock } from "../../domain/ports/clock.ts";

/** Discord closes a connection that sends 120 messages in a minute; half of them is for heartbeats and the like. */
const EVERY_MS = 1_000;
const ANSWER_WITHIN_MS = 10_000;
/** Ids that one request may name. */
export const MOST_IDS = 100;

/** By member; who is not in the guild has no roles. */
type RolesOfMembers = ReadonlyMap<string, readonly string[]>;

export interface ReadRoles {
  readonly roles: RolesOfMembers;
  /** When the request left, by the monotonic clock. */
  readonly readAtMs: number;
}

interface Packet {
  readonly t?: unknown;
  readonly d?: unknown;
}

interface Asked {
  readonly ids: readonly string[];
  readonly end: (found: RolesOfMembers | undefined) => void;
}

/** Asks for members over the gateway (opcode 8), at most 60 times a minute a shard. */
export class MemberRequests {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #asked = new Map<string, Asked>();
  /** When the next request of a shard may leave, by the monotonic clock. */
  readonly #nextAtMs = new Map<number, number>();
  /** Guilds that Discord refuses until then. */
  readonly #refusedUntilMs = new Map<string, number>();
  #count = 0;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
    client.on(Events.Raw, (packet: Packet) => this.#onPacket(packet));
  }

  /** Of at most `MOST_IDS` members. Undefined: refused, or not answered in time. Never rejects. */
  async ask(guildId: string, ids: readonly string[]): Promise<ReadRoles | undefined> {
    const shard = this.#client.guilds.cache.get(guildId)?.shard;
    const refusedUntilMs = this.#refusedUntilMs.get(guildId) ?? 0;
    if (shard === undefined || this.#clock.monotonicMs() < refusedUntilMs) return undefined;
    this.#refusedUntilMs.delete(guildId);
    await this.#turn(shard.id);

    const nonce = `m${++this.#count}`;
    const answer = Promise.withResolvers<RolesOfMembers | undefined>();
    const cancel = this.#clock.after(ANSWER_WITHIN_MS, () => answer.resolve(undefined));
    const readAtMs = this.#clock.monotonicMs();
    this.#asked.set(nonce, { ids, end: answer.resolve });
    try {
      shard.send({ op: 8, d: { guild_id: guildId, user_ids: [...ids], nonce } });
      const roles = await answer.promise;
      return roles && { roles, readAtMs };
    } finally {
      cancel();
      this.#asked.delete(nonce);
    }
  }

  async #turn(shardId: number): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    const atMs = Math.max(nowMs, this.#nextAtMs.get(shardId) ?? 0);
    this.#nextAtMs.set(shardId, atMs + EVERY_MS);
    if (atMs > nowMs) await this.#clock.sleep(atMs - nowMs);
  }

  #onPacket({ t, d }: Packet): void {
    if (t === "GUILD_MEMBERS_CHUNK" && isChunk(d)) {
      const asked = this.#asked.get(d.nonce);
      if (asked === undefined) return;
      const found = new Map(asked.ids.map((id): [string, readonly string[]] => [id, []]));
      for (const { user, roles } of d.members) found.set(user.id, roles);
      asked.end(found);
    } else if (t === "RATE_LIMITED" && isRefusal(d)) {
      this.#refusedUntilMs.set(d.meta.guild_id, this.#clock.monotonicMs() + d.retry_after * 1_000);
      this.#asked.get(d.meta.nonce)?.end(undefined);
    }
  }
}

interface Chunk {
  readonly nonce: string;
  readonly members: readonly { readonly user: { readonly id: string }; readonly roles: readonly string[] }[];
}

function isChunk(value: unknown): value is Chunk {
  return (
    isObject(value) &&
    typeof value.nonce === "string" &&
    Array.isArray(value.members) &&
    value.members.every(
      (member: unknown) =>
        isObject(member) &&
        isObject(member.user) &&
        typeof member.user.id === "string" &&
        Array.isArray(member.roles) &&
        member.roles.every((id) => typeof id === "string"),
    )
  );
}

interface Refusal {
  readonly retry_after: number;
  readonly meta: { readonly guild_id: string; readonly nonce: string };
}

function isRefusal(value: unknown): value is Refusal {
  return (
    isObject(value) &&
    typeof value.retry_after === "number" &&
    isObject(value.meta) &&
    typeof value.meta.guild_id === "string" &&
    typeof value.meta.nonce === "string"
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
