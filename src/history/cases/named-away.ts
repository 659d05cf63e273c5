import { type Aim, isMassWord } from "../../domain/command-hits.ts";
import type { Binding } from "../../domain/guild.ts";
import type { PlayerRef } from "../../domain/model.ts";
import type { WhoWasThere } from "../who-was-there.ts";

export interface NamedAwayPorts {
  /** Players of that whole name whom the history knows. */
  findPlayers(guildId: string, name: string): Promise<readonly Required<PlayerRef>[]>;
  readonly there: Pick<WhoWasThere, "named">;
}

/**
 * A ban reaches somebody who is not there: who has the whole names that it holds, where nobody there has them. An unban
 * hits nobody for being there, but whom it names may be back.
 */
export async function namedAway(
  { there, findPlayers }: NamedAwayPorts,
  { guildId, source }: Pick<Binding, "guildId" | "source">,
  { aim, present }: { readonly aim: Aim; readonly present: readonly PlayerRef[] },
): Promise<readonly PlayerRef[]> {
  const here = new Set(aim.finds === "banned" ? [] : present.map(({ name }) => name.toLowerCase()));
  const away = aim.targetTexts.filter((text) => !isMassWord(text) && !here.has(text.toLowerCase()));
  const found = await Promise.all(
    away.map(async (text) => {
      const logged = there.named(source, text);
      const known = logged.length > 0 ? logged : await findPlayers(guildId, text);
      return known.length === 1 ? known : [];
    }),
  );
  return found.flat();
}
