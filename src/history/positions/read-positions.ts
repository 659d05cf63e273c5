import type { Spot, Track, TrackedPlayer } from "../../domain/track.ts";
import type { QueryContext } from "../queries/context.ts";
import { ranksAt } from "../queries/rewind.ts";
import { refsOf, type Scope, scopesOf } from "../queries/scopes.ts";
import { chunkOf, decodeChunk, type Look, listedIn } from "./chunk.ts";

/** What is kept of where people were. */

interface TrackArgs {
  readonly guildId: string;
  readonly bindingId: string;
  readonly fromS: number;
  readonly toS: number;
}

/** Looks of a linked server between two seconds, both of them included. */
export async function track(context: QueryContext, args: TrackArgs): Promise<Track> {
  const [scope] = await scopesOf(context, args.guildId, args.bindingId);
  return scope === undefined
    ? { bindingId: args.bindingId, looksS: [], players: [] }
    : await trackOf(context, scope, args);
}

/** The same of a server that may be unlinked by now. */
export async function trackOf(
  context: Pick<QueryContext, "db">,
  { id, bindingId }: Pick<Scope, "id" | "bindingId">,
  { fromS, toS }: Pick<TrackArgs, "fromS" | "toS">,
): Promise<Track> {
  const looks = (await looksOf(context, id, { fromS, toS })).flat();
  const persons = [...new Set(looks.flatMap(({ spots }) => [...spots.keys()]))];
  const refOf = await refsOf(context, persons);
  const ranks = persons.length === 0 ? undefined : await ranksAt(context, { id }, persons, toS);
  const players = persons.map((person): TrackedPlayer => {
    const permission = ranks?.get(person);
    return {
      player: refOf(person),
      ...(permission === undefined ? {} : { permission }),
      spots: looks.map(({ spots }) => spots.get(person) ?? null),
    };
  });
  return {
    bindingId,
    looksS: looks.map(({ atS }) => atS),
    players: players.sort((a, b) => (a.player.name < b.player.name ? -1 : 1)),
  };
}

/** By minute, oldest first; only minutes with this person where one is named. */
async function looksOf(
  { db }: Pick<QueryContext, "db">,
  scope: number,
  { fromS, toS, person }: { readonly fromS: number; readonly toS: number; readonly person?: number },
): Promise<readonly (readonly Look[])[]> {
  const rows = await db
    .selectFrom("positions")
    .select(["people", "body"])
    .where("scope", "=", scope)
    .where("at_s", ">=", chunkOf(fromS))
    .where("at_s", "<=", toS)
    .orderBy("at_s")
    .execute();
  return rows
    .filter(({ people }) => person === undefined || listedIn(people, person))
    .map(({ body }) => decodeChunk(body).filter(({ atS }) => atS >= fromS && atS <= toS));
}

/** One place of a player, for their export. */
export type ExportedSpot = Spot & { readonly atS: number; readonly bindingId: string };

/** Where a player was, newest first. */
export async function spotsOf(
  context: QueryContext,
  scopes: readonly Scope[],
  { person, limit }: { readonly person: number; readonly limit: number },
): Promise<readonly ExportedSpot[]> {
  const all: ExportedSpot[] = [];
  for (const { id, bindingId } of scopes) {
    const minutes = await looksOf(context, id, { fromS: 0, toS: Number.MAX_SAFE_INTEGER, person });
    for (const { atS, spots } of minutes.flat()) {
      const spot = spots.get(person);
      if (spot !== undefined) all.push({ atS, bindingId, ...spot });
    }
  }
  return all.sort((a, b) => b.atS - a.atS).slice(0, limit);
}
