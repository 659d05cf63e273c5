import { type APIApplicationCommandIntegerOption, ApplicationCommandOptionType } from "discord.js";
import type { Options } from "../src/discord/command.ts";
import { KINDS } from "../src/discord/render/players/case-words.ts";
import type { Services } from "../src/discord/services.ts";
import { type CaseKind, caseKinds } from "../src/domain/case.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import { momentOf, momentThrough } from "../src/domain/moment.ts";
import type { CaseFilter } from "../src/domain/ports/cases.ts";
import { DEFAULT_ZONE } from "../src/domain/time-zones.ts";

/** What cases are written and searched with. */

const { String: text, User: user, Integer: integer } = ApplicationCommandOptionType;

export const LONGEST_REASON = 900;
const LONGEST_LINK = 400;

export const numberOption: APIApplicationCommandIntegerOption = {
  type: integer,
  name: "number",
  description: "Case number",
  required: true,
  min_value: 1,
  max_value: 999_999_999,
};

export const kindChoices = caseKinds.map((kind) => ({ name: KINDS[kind].word, value: kind }));

export function kindOf(value: string | undefined): CaseKind | undefined {
  return caseKinds.find((kind) => kind === value);
}

/** A link that people can press. @throws Failure "bad-command" for anything else. */
export function evidenceOf(typed: string | undefined): string | undefined {
  const text = typed?.trim() ?? "";
  if (text === "") return undefined;
  const link = URL.parse(text);
  const isLink = link !== null && /^https?:$/.test(link.protocol) && link.username === "";
  if (!isLink || link.href.length > LONGEST_LINK) {
    throw new Failure("bad-command", "Evidence must be a link that starts with https://.");
  }
  return link.href;
}

export const searchOptions = [
  { type: user, name: "staff", description: "Only cases by this staff member" },
  { type: text, name: "kind", description: "Only this kind", choices: kindChoices },
  { type: text, name: "since", description: 'For example "7 days ago" or 2026-11-01', max_length: 40 },
  { type: text, name: "until", description: 'For example "yesterday 20:00"', max_length: 40 },
] as const;

export interface SearchArgs {
  readonly player: string | undefined;
  readonly staffId: string | undefined;
  readonly kind: CaseKind | undefined;
  readonly since: string | undefined;
  readonly until: string | undefined;
}

export function parseSearch(options: Options): SearchArgs {
  return {
    player: options.string("player"),
    staffId: options.id("staff"),
    kind: kindOf(options.string("kind")),
    since: options.string("since"),
    until: options.string("until"),
  };
}

type Narrowed = Omit<CaseFilter, "before" | "limit">;

/** Staff are found by their Discord account and by the account in the game that is linked to it. */
export async function narrowed(
  { settings, clock, accounts }: Pick<Services, "settings" | "clock" | "accounts">,
  actor: Actor,
  { staffId, kind, since, until }: SearchArgs,
): Promise<Narrowed> {
  const { timeZone: zone = DEFAULT_ZONE } = await settings.of(actor.guildId);
  const now = { nowMs: clock.nowMs(), zone };
  const account = staffId === undefined ? undefined : await accounts.of(actor.guildId, staffId);
  return {
    ...(staffId === undefined ? {} : { userId: staffId }),
    ...(account === undefined ? {} : { authorPlayerId: account.player.id }),
    ...(kind === undefined ? {} : { kind }),
    ...(since === undefined ? {} : { fromMs: momentOf(since, now) }),
    ...(until === undefined ? {} : { toMs: momentThrough(until, now) }),
  };
}

/** Longest part of a name in the id of a button, beside everything else that narrows a search. */
const NAME_CHARACTERS = 32;

/** A filter as it stands in the id of a button: short, since Discord takes 100 characters. */
export function filterText(filter: Narrowed): string {
  const { playerId, playerName, userId, authorPlayerId, kind, fromMs, toMs } = filter;
  const second = (ms: number | undefined) => (ms === undefined ? "" : Math.floor(ms / 1_000).toString(36));
  const number = (value: number | undefined) => value?.toString(36) ?? "";
  const parts = [
    number(playerId),
    userId === undefined ? "" : BigInt(userId).toString(36),
    number(authorPlayerId),
    kind ?? "",
    second(fromMs),
    second(toMs),
    playerId === undefined ? cutWhole(playerName ?? "", NAME_CHARACTERS) : "",
  ];
  return parts.join(",");
}

/** Without half a sign at its end. */
function cutWhole(text: string, most: number): string {
  const part = text.slice(0, most);
  return part.isWellFormed() ? part : part.slice(0, -1);
}

/** The inverse. */
export function filterOf(text: string): Narrowed {
  const [player = "", user = "", author = "", kind, from = "", to = "", ...name] = text.split(",");
  const playerName = name.join(",");
  const kindNamed = kindOf(kind);
  return {
    ...(player === "" ? {} : { playerId: Number.parseInt(player, 36) }),
    ...(user === "" ? {} : { userId: snowflakeOf(user) }),
    ...(author === "" ? {} : { authorPlayerId: Number.parseInt(author, 36) }),
    ...(kindNamed === undefined ? {} : { kind: kindNamed }),
    ...(from === "" ? {} : { fromMs: Number.parseInt(from, 36) * 1_000 }),
    // That second belongs to it.
    ...(to === "" ? {} : { toMs: Number.parseInt(to, 36) * 1_000 + 999 }),
    ...(playerName === "" ? {} : { playerName }),
  };
}

function snowflakeOf(text: string): string {
  let id = 0n;
  for (const digit of text) id = id * 36n + BigInt(Math.max(0, Number.parseInt(digit, 36) || 0));
  return id.toString();
}

/** What stands before the first slash, and whom or what it is about behind it. */
export function firstOf(argument: string): readonly [first: string, about: string | undefined] {
  const at = argument.indexOf("/");
  return at < 0 ? [argument, undefined] : [argument.slice(0, at), argument.slice(at + 1)];
}

/** The number of a case in the id of a button; 0: there is none. */
export function numberIn(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
