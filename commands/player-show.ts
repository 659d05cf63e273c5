import type { Press, Reply } from "../src/discord/command.ts";
import { inlineName } from "../src/discord/render/escape.ts";
import { morePlayerButtons } from "../src/discord/render/players/player-buttons.ts";
import { playerShow } from "../src/discord/render/players/player-card.ts";
import { isPlayerList, playerPage } from "../src/discord/render/players/player-pages.ts";
import { nobodyNamed, whichPlayer } from "../src/discord/render/players/which-player.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type { PlayerHistory } from "../src/domain/history.ts";
import type { PlayerRef } from "../src/domain/model.ts";
import { callTakers } from "./call-takers.ts";
import { filterText } from "./case-args.ts";
import { foundCases } from "./case-flow.ts";
import { seenCases } from "./case-rights.ts";
import { commandAuthors } from "./command-authors.ts";
import { moderatedServers, serverMeant } from "./moderated-servers.ts";
import { findPlayer, type LivePlayer, livePlayers, loggedPlayers, nobodyFailure } from "./player-choice.ts";
import { whyNotNewer } from "./server-state.ts";

/** The card of a player and what stands behind it. */

const ROWS_A_PAGE = 15;

/** Which player a button means, and on which server: `binding/id`; `binding*` where only that server is shown. */
export interface PlayerPlace {
  readonly bindingId: string;
  readonly playerId: number;
  readonly isOnly?: boolean;
}

export function placeOf(argument: string): PlayerPlace & { readonly rest: string } {
  const [, bindingId = "", only, digits = "", rest = ""] =
    /^([^/*]*)(\*)?\/(\d{1,15})(?:\/(.*))?$/s.exec(argument) ?? [];
  return { bindingId, isOnly: only !== undefined, playerId: Number(digits), rest };
}

export interface FoundPlayer {
  readonly player: Required<PlayerRef>;
  readonly live?: LivePlayer;
  /** The server that is acted on: where they are, else the one that was meant, or the only one. */
  readonly binding: Binding | undefined;
  readonly servers: readonly Binding[];
  /** The one server that is shown. Absent: all of them. */
  readonly only?: Binding | undefined;
}

/** The player of a button, by today's name. @throws Failure as `moderatedServers` does, "expired" for a lost one. */
export async function playerAt(
  services: Services,
  actor: Actor,
  { bindingId, playerId, isOnly = false }: PlayerPlace,
): Promise<FoundPlayer> {
  const servers = await moderatedServers(services, actor);
  const only = isOnly ? serverMeant(servers, bindingId) : undefined;
  const all = livePlayers(services, only === undefined ? servers : [only]).filter(
    ({ player }) => player.id === playerId,
  );
  const live = all.find(({ binding }) => binding.id === bindingId) ?? all[0];
  const meant = servers.find(({ id }) => id === bindingId) ?? (servers.length === 1 ? servers[0] : undefined);
  if (live !== undefined) return { player: live.player, live, binding: live.binding, servers, only };
  const name = await knownName(services, { guildId: actor.guildId, playerId, servers });
  if (name === undefined) {
    throw new Failure("expired", "This player is not in a server. Nothing is recorded about them.", {
      isRead: true,
    });
  }
  return { player: { name, id: playerId }, binding: meant, servers, only };
}

/** From what was kept of them, else from their cases or their watch. */
async function knownName(
  services: Services,
  of: { readonly guildId: string; readonly playerId: number; readonly servers: readonly Binding[] },
): Promise<string | undefined> {
  const { history, cases, watches } = services;
  const { guildId, playerId, servers } = of;
  const [known] = await history.players.find(guildId, String(playerId)).catch(() => []);
  if (known !== undefined) return known.name;
  const logged = loggedPlayers(services, servers).find(({ id }) => id === playerId);
  if (logged !== undefined) return logged.name;
  const watched = await watches.of(guildId, playerId).catch(() => undefined);
  if (watched !== undefined) return watched.name;
  const [one] = await cases.search(guildId, { playerId, limit: 1 }).catch(() => []);
  return one?.targets.find((target) => target.playerId === playerId)?.name;
}

/** What was typed, as a card; where several had that name, which of them. */
export async function showTyped(
  services: Services,
  actor: Actor,
  { player: typed, server }: { readonly player: string; readonly server: string | undefined },
): Promise<Reply> {
  const servers = await moderatedServers(services, actor);
  const meant = serverMeant(servers, server);
  const only = server === undefined || server === "" ? undefined : meant;
  const searched = only === undefined ? servers : [only];
  const choice = await findPlayer(services, actor, { typed, servers: searched });
  if (choice.kind === "nobody") {
    if (choice.near.length === 0) throw nobodyFailure(typed);
    return nobodyNamed(typed, choice.near, placeText(meant?.id, only));
  }
  if (choice.kind === "several") return whichPlayer(typed, choice.found, placeText(meant?.id, only));
  const { player, live } = choice;
  return await showPlayer(services, actor, {
    player,
    servers,
    binding: live?.binding ?? meant,
    only,
    ...(live === undefined ? {} : { live }),
  });
}

/** As old as /server status takes for current. */
const WORTH_A_REASON_MS = 10_000;

function staleWhyOf(
  services: Services,
  { atMs, binding }: { readonly atMs: number; readonly binding: Binding },
  what?: Escaped,
): Escaped | undefined {
  const ageMs = services.clock.nowMs() - atMs;
  return ageMs < WORTH_A_REASON_MS ? undefined : whyNotNewer(services, binding, what);
}

/** Why somebody may be there although no list shows them. */
function awayWhyOf(services: Services, servers: readonly Binding[]): readonly Escaped[] {
  return servers.flatMap((binding) => {
    const atMs = services.snapshots.latest(binding.source)?.lists.players?.atMs ?? Number.NEGATIVE_INFINITY;
    const what = servers.length === 1 ? undefined : md`**${inlineName(binding.name)}** is not up to date`;
    return staleWhyOf(services, { atMs, binding }, what) ?? [];
  });
}

function placeText(bindingId: string | undefined, only: Binding | undefined): string {
  return only === undefined ? (bindingId ?? "") : `${only.id}*`;
}

/** The card; what the history or the cases do not answer is said on it. */
export async function showPlayer(
  services: Services,
  actor: Actor,
  { player, live, binding, servers, only }: FoundPlayer,
): Promise<Reply> {
  const { guildId } = actor;
  const [history, cases, watch, account] = await Promise.all([
    kept(services, guildId, { playerId: player.id, bindingId: only?.id }),
    seenCases(services, actor)
      .then(({ bindingIds }) =>
        services.cases.summary(guildId, player.id, bindingIds === undefined ? {} : { bindingIds }),
      )
      .catch(onlyFailures),
    services.watches.of(guildId, player.id).catch(onlyFailures),
    services.accounts.ofPlayer(guildId, player.id),
  ]);
  const against = isKnown(history) ? history.latestCommandsAgainst : [];
  return playerShow({
    player,
    authors: await commandAuthors(services, guildId, against),
    bindingId: binding?.id,
    place: placeText(binding?.id, only),
    onlyServer: only?.name,
    history,
    cases,
    watch,
    account,
    mayBan: mayBan(services, actor, binding),
    awayWhy: live === undefined ? awayWhyOf(services, only === undefined ? servers : [only]) : [],
    ...(live === undefined
      ? {}
      : {
          live: {
            state: live.state,
            player: live.row,
            atMs: live.atMs,
            serverName: live.binding.name,
            staleWhy: staleWhyOf(services, live),
          },
        }),
  });
}

/** The buttons that have no room on a card of theirs. `argument`: how many it has, and the player. */
export async function showMore(services: Services, { actor, argument }: Press): Promise<Reply> {
  const [, shown = "", place = ""] = /^(\d)\/(.*)$/s.exec(argument) ?? [];
  const { player, live, binding } = await playerAt(services, actor, placeOf(place));
  const watch = await services.watches.of(actor.guildId, player.id).catch(onlyFailures);
  const rows = morePlayerButtons(
    {
      bindingId: binding?.id,
      playerId: player.id,
      name: player.name,
      inGame: live !== undefined,
      isWatched: watch !== undefined,
      mayBan: mayBan(services, actor, binding),
    },
    // What stands on a card of somebody who has left since does not reach them: all that does stands here.
    live === undefined ? 0 : Number(shown),
  );
  return { content: md`👤 More about **${inlineName(player.name)}**`, rows };
}

function mayBan({ permissions }: Services, actor: Actor, binding: Binding | undefined): boolean {
  return binding === undefined || permissions.known(actor, binding.id)?.verb(":ban player").allowed !== false;
}

async function kept(
  { history, clock }: Services,
  guildId: string,
  { playerId, bindingId }: { readonly playerId: number; readonly bindingId: string | undefined },
): Promise<PlayerHistory | "nothing" | { readonly why: Escaped }> {
  try {
    const nowS = Math.floor(clock.nowMs() / 1_000);
    return (await history.cards.card(guildId, playerId, { nowS, bindingId })) ?? "nothing";
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return {
      why:
        error.code === "store"
          ? md`⚠️ Earlier records can't be read right now.`
          : md`⚠️ There are no earlier records: Marshal's host has turned recording off.`,
    };
  }
}

function isKnown(history: Awaited<ReturnType<typeof kept>>): history is PlayerHistory {
  return history !== "nothing" && !("why" in history);
}

function onlyFailures(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error;
}

/** Behind the menu of the card: a list from its beginning, or a later page. */
export async function showList(
  services: Services,
  actor: Actor,
  place: PlayerPlace & { readonly list: string; readonly before?: string },
): Promise<Reply> {
  const { list, bindingId, before } = place;
  const { player, only } = await playerAt(services, actor, place);
  if (list === "cases") {
    return await foundCases(services, actor, {
      filter: filterText({ playerId: player.id }),
      title: md`🗂 Cases`,
    });
  }
  if (!isPlayerList(list)) throw new Failure("expired", "That list no longer exists.", { isRead: true });
  const page = await services.history.cards.page(actor.guildId, {
    playerId: player.id,
    list,
    limit: ROWS_A_PAGE,
    before,
    bindingId: only?.id,
  });
  const authors = await commandAuthors(services, actor.guildId, page.rows);
  const takers = await callTakers(services, actor.guildId, page.rows);
  const at = placeText(bindingId, only);
  return playerPage({ player, list, page, bindingId: at, authors, takers, isLater: before !== undefined });
}

/** `list/binding/id/before`: a turn of the pages. */
export function turnPage(services: Services, { actor, argument }: Press): Promise<Reply> {
  const [, list = "", place = ""] = /^([^/]*)\/(.*)$/s.exec(argument) ?? [];
  const { rest, ...player } = placeOf(place);
  return showList(services, actor, { ...player, list, ...(rest === "" ? {} : { before: rest }) });
}
