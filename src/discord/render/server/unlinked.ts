import { joined, md } from "../../../domain/escaped.ts";
import type { MessageBody } from "../../../domain/message.ts";
import type { Player, ServerState } from "../../../domain/model.ts";
import { inlineName } from "../escape.ts";
import { type Freshness, serverCard, serverTitle } from "./view.ts";

/** `/server unlinked`. Pure. */

const MOST_SHOWN = 60;

export interface UnlinkedView {
  readonly state: ServerState;
  readonly players: readonly Player[];
  readonly linked: ReadonlyMap<number, unknown>;
  readonly seen: Freshness;
}

export function unlinkedPage({ state, players, linked, seen }: UnlinkedView): MessageBody {
  const unknown = players.filter(({ player: { id } }) => id === undefined || !linked.has(id));
  const names = unknown
    .map(({ player, team }) => md`${inlineName(player.name)} (${inlineName(team)})`)
    .slice(0, MOST_SHOWN);
  const more = unknown.length > names.length ? [md`and ${unknown.length - names.length} more`] : [];
  const known = md`Linked: **${players.length - unknown.length} of ${players.length}** players.`;
  const how = md`-# A Manager links people with /me link member: player:, or many with /me import.`;
  const lines = unknown.length === 0 ? [known] : [known, joined([...names, ...more], ", "), how];
  return { cards: [serverCard({ title: md`Not linked on ${serverTitle(state.status)}`, lines, seen })] };
}
