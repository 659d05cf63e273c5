import { type APIApplicationCommandStringOption, ApplicationCommandOptionType } from "discord.js";
import type { Choice, Typing } from "../src/discord/command.ts";
import { cut, plainText, shownName } from "../src/discord/render/escape.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type { KnownPlayer } from "../src/domain/history.ts";
import type { Player, PlayerRef, ServerState } from "../src/domain/model.ts";
import { namesLike } from "../src/domain/near-names.ts";
import { moderatedServers } from "./moderated-servers.ts";

/** Who is meant by what somebody typed: a player in the game, or one who was seen before, by any name they had. */

export const playerOption: APIApplicationCommandStringOption = {
  type: ApplicationCommandOptionType.String,
  name: "player",
  description: "Current or earlier name, or the id",
  required: true,
  autocomplete: true,
  max_length: 100,
};

/** A player in the game, as the latest list of that server shows them. */
export interface LivePlayer<Server = Binding> {
  readonly binding: Server;
  readonly state: ServerState;
  readonly row: Player;
  readonly player: Required<PlayerRef>;
  readonly atMs: number;
}

export interface WantedPlayer {
  readonly typed: string;
  /** Where they may be in the game. */
  readonly servers: readonly Binding[];
}

export type PlayerChoice =
  | {
      readonly kind: "one";
      readonly player: Required<PlayerRef>;
      readonly live?: LivePlayer;
      /** Only the beginning of their name was typed. */
      readonly isBeginning?: true;
    }
  /** Several had the name that was typed. */
  | { readonly kind: "several"; readonly found: readonly KnownPlayer[] };

/** Nobody here has that name; `near`: whose name is nearly the same, nearest first. */
export interface NobodyMeant {
  readonly kind: "nobody";
  readonly near: readonly Required<PlayerRef>[];
}

/** As many as `/run` offers. */
const MOST_NEAR = 3;

/** Everybody with an id who is in one of these servers now. */
export function livePlayers<Server extends Pick<Binding, "source">>(
  { snapshots }: Pick<Services, "snapshots">,
  servers: readonly Server[],
): readonly LivePlayer<Server>[] {
  return servers.flatMap((binding) => {
    const state = snapshots.latest(binding.source);
    const players = state?.lists.players;
    if (state === undefined || players === undefined) return [];
    return players.value.flatMap((row): readonly LivePlayer<Server>[] => {
      const { id, name } = row.player;
      return id === undefined ? [] : [{ binding, state, row, player: { name, id }, atMs: players.atMs }];
    });
  });
}

/** Everybody whom the logs of these servers still name. */
export function loggedPlayers(
  { snapshots }: Pick<Services, "snapshots">,
  servers: readonly Pick<Binding, "source">[],
): readonly Required<PlayerRef>[] {
  const found = new Map<number, Required<PlayerRef>>();
  for (const { source } of servers) {
    const lists = snapshots.latest(source)?.lists;
    const refs = [
      ...(lists?.joinLogs?.value ?? []).map(({ player }) => player),
      ...(lists?.killLogs?.value ?? []).flatMap(({ killer, killed }) => [killer, killed]),
      ...(lists?.modCalls?.value ?? []).map(({ caller }) => caller),
    ];
    for (const { id, name } of refs) if (id !== undefined) found.set(id, { name, id });
  }
  return [...found.values()];
}

/** Live players first, then those who were seen before, also by an earlier name; their ids are the values. */
export async function completePlayer(
  { actor, typed }: Pick<Typing, "actor" | "typed">,
  services: Services,
): Promise<readonly Choice[]> {
  const servers = await moderatedServers(services, actor);
  const wanted = typed.trim().toLowerCase();
  const live = livePlayers(services, servers)
    .filter(({ player }) => player.name.toLowerCase().includes(wanted))
    .sort((a, b) => rank(a.player.name, wanted) - rank(b.player.name, wanted));
  const choices = new Map<string, Choice>();
  const add = (id: number, name: string) => {
    if (!choices.has(String(id))) choices.set(String(id), { name: cut(name, 100), value: String(id) });
  };
  for (const { player } of live.slice(0, 25)) add(player.id, `${shownName(player.name)} · in the game`);
  // Without a history those who are in the game can still be chosen.
  const known = await services.history.players.search(actor.guildId, typed, 25).catch(() => []);
  for (const { playerId, name, earlierNames } of known) {
    const isByName = name.toLowerCase().includes(wanted);
    const earlier = isByName ? undefined : earlierNames.find((one) => one.toLowerCase().includes(wanted));
    const was = earlier === undefined ? "" : ` (was ${plainText(shownName(earlier))})`;
    add(playerId, `${plainText(shownName(name))}${was}`);
  }
  for (const { id, name } of loggedPlayers(services, servers)) {
    if (name.toLowerCase().includes(wanted)) add(id, plainText(shownName(name)));
  }
  return [...choices.values()].slice(0, 25);
}

function rank(name: string, wanted: string): number {
  return name.toLowerCase().startsWith(wanted) ? 0 : 1;
}

/**
 * Who is meant, as `findPlayer` says.
 * @throws Failure "bad-command" where nobody is, with the names that may have been meant.
 */
export async function choosePlayer(
  services: Services,
  actor: Pick<Actor, "guildId">,
  wanted: WantedPlayer,
): Promise<PlayerChoice> {
  const choice = await findPlayer(services, actor, wanted);
  if (choice.kind === "nobody") throw nobodyFailure(wanted.typed, choice.near);
  return choice;
}

/** "bad-command", with the names that may have been meant. */
export function nobodyFailure(typed: string, near: readonly Required<PlayerRef>[] = []): Failure {
  const names = near.map(({ name }) => plainText(name));
  const next = names.length === 0 ? "Choose a player from the list." : `Did you mean ${names.join(" or ")}?`;
  const words = `Nobody called "${cut(plainText(typed), 40)}" was seen here. ${next}`;
  return new Failure("bad-command", words, { isRead: true });
}

/** By id, by a whole name, else by the beginning of the name of one player in the game. */
export async function findPlayer(
  services: Services,
  { guildId }: Pick<Actor, "guildId">,
  { typed, servers }: WantedPlayer,
): Promise<PlayerChoice | NobodyMeant> {
  const wanted = typed.trim().toLowerCase();
  const live = livePlayers(services, servers);
  const here =
    live.find(({ player }) => String(player.id) === wanted) ??
    live.find(({ player }) => player.name.toLowerCase() === wanted);
  if (here !== undefined) return { kind: "one", player: here.player, live: here };

  // The history may be off or fail: then those are known who are in the game, and who was typed as an id.
  const known = await services.history.players.find(guildId, typed.trim()).catch(() => []);
  const [only] = known;
  if (known.length > 1) return { kind: "several", found: known };
  if (only !== undefined) return knownOne(only, live);

  const logged = loggedPlayers(services, servers).filter(
    ({ name, id }) => name.toLowerCase() === wanted || String(id) === wanted,
  );
  const [seen] = logged;
  if (seen !== undefined && logged.length === 1) return { kind: "one", player: seen };

  const starting = live.filter(({ player }) => wanted !== "" && player.name.toLowerCase().startsWith(wanted));
  const [first] = starting;
  if (first !== undefined && starting.length === 1)
    return { kind: "one", player: first.player, live: first, isBeginning: true };
  const seenHere = [...live.map((one) => one.player), ...loggedPlayers(services, servers)];
  return { kind: "nobody", near: await nearPlayers(services, guildId, { wanted, seenHere }) };
}

/** Of a name the beginning and the end that are looked for in the history, should the slip be in the other. */
const LETTERS_SEARCHED = 3;

/** Whose names are nearly what was typed: of those seen here, and of whom the history has with its beginning or end. */
async function nearPlayers(
  { history }: Services,
  guildId: string,
  { wanted, seenHere }: { readonly wanted: string; readonly seenHere: readonly Required<PlayerRef>[] },
): Promise<readonly Required<PlayerRef>[]> {
  if (wanted.length < LETTERS_SEARCHED || /^\d+$/.test(wanted)) return [];
  const parts = [wanted.slice(0, LETTERS_SEARCHED), wanted.slice(-LETTERS_SEARCHED)];
  const searched = parts.map((part) => history.players.search(guildId, part, 25).catch(() => []));
  const known = (await Promise.all(searched)).flat().map(({ playerId: id, name }) => ({ id, name }));
  const byName = new Map([...known, ...seenHere].map((player) => [player.name, player]));
  const near = namesLike(
    wanted,
    [...seenHere, ...known].map(({ name }) => name),
  );
  return near.slice(0, MOST_NEAR).flatMap((name) => byName.get(name) ?? []);
}

function knownOne({ playerId, name }: KnownPlayer, live: readonly LivePlayer[]): PlayerChoice {
  const here = live.find(({ player }) => player.id === playerId);
  return here === undefined
    ? { kind: "one", player: { name, id: playerId } }
    : { kind: "one", player: here.player, live: here };
}

/** The one player that is meant. @throws Failure "bad-command" also where several had that name. */
export async function chooseOnePlayer(
  services: Services,
  actor: Pick<Actor, "guildId">,
  wanted: WantedPlayer,
): Promise<Extract<PlayerChoice, { readonly kind: "one" }>> {
  const choice = await choosePlayer(services, actor, wanted);
  if (choice.kind === "one") return choice;
  throw new Failure("bad-command", "Several players have used that name. Choose one from the list.", {
    isRead: true,
  });
}

/**
 * The one player that is meant by a whole name or an id, for what is kept of them: the beginning of a name may be the
 * name of somebody else, who has left. @throws Failure "bad-command"
 */
export async function chooseWholeName(
  services: Services,
  actor: Pick<Actor, "guildId">,
  wanted: WantedPlayer,
): Promise<Extract<PlayerChoice, { readonly kind: "one" }>> {
  const choice = await chooseOnePlayer(services, actor, wanted);
  if (choice.isBeginning === true) throw nobodyFailure(wanted.typed, [choice.player]);
  return choice;
}
