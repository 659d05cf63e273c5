import type { Raw } from "./form.ts";
import { memberJson } from "./serialize.ts";
import type { Guild } from "./types.ts";

/** So many messages a client may send in a minute: beyond, its connection is closed with 4008. */
const MESSAGES_PER_MINUTE = 120;
const MOST_USERS = 100;
/** Of a query. */
const MOST_FOUND = 100;

/** Counts what one connection sends. */
export class SentMessages {
  readonly #atMs: number[] = [];

  /** Whether one more is allowed. */
  take(nowMs: number): boolean {
    while ((this.#atMs[0] ?? nowMs) <= nowMs - 60_000) this.#atMs.shift();
    this.#atMs.push(nowMs);
    return this.#atMs.length <= MESSAGES_PER_MINUTE;
  }
}

export interface MemberAnswer {
  readonly name: "GUILD_MEMBERS_CHUNK" | "RATE_LIMITED";
  readonly data: Readonly<Record<string, unknown>>;
}

export interface MemberRequestFacts {
  readonly hasMembersIntent: boolean;
  /** The members of this guild are asked for too often, for so long. */
  readonly refusedForMs: number | undefined;
}

/** What a client gets that asks for members (opcode 8). `unreadable`: its connection is closed. */
export function answerMembers(
  guild: Guild,
  body: Raw,
  { hasMembersIntent, refusedForMs }: MemberRequestFacts,
): MemberAnswer | "unreadable" | "nothing" {
  const { nonce } = body;
  if (refusedForMs !== undefined) {
    const meta = { guild_id: guild.id, nonce };
    return { name: "RATE_LIMITED", data: { opcode: 8, retry_after: refusedForMs / 1_000, meta } };
  }
  const ids = body.user_ids === undefined ? undefined : [body.user_ids].flat();
  if (ids !== undefined) {
    if (ids.length > MOST_USERS || ids.some((id) => typeof id !== "string")) return "unreadable";
    const members = guild.members.filter(({ id }) => ids.includes(id));
    return chunk(guild, members, { nonce, not_found: ids.filter((id) => !members.some((m) => m.id === id)) });
  }
  if (typeof body.query !== "string" || typeof body.limit !== "number") return "unreadable";
  const query = body.query.toLowerCase();
  // The whole list is told only with a privileged intent.
  if (query === "" && !hasMembersIntent) return "nothing";
  const found = guild.members.filter(({ displayName }) => displayName.toLowerCase().startsWith(query));
  return chunk(guild, query === "" ? found : found.slice(0, Math.min(MOST_FOUND, body.limit)), { nonce });
}

function chunk(guild: Guild, members: Guild["members"], more: Raw): MemberAnswer {
  const data = { guild_id: guild.id, members: members.map(memberJson), chunk_index: 0, chunk_count: 1 };
  return { name: "GUILD_MEMBERS_CHUNK", data: { ...data, ...more } };
}
