import type { Binding } from "../domain/guild.ts";
import { uniqueName } from "../domain/server-names.ts";

/** Messages under an older name are only read back for what was posted shortly before an unclean end. */
const FORMER_NAMES_KEPT = 5;

type Naming = Pick<Binding, "name" | "formerNames" | "isRenamed">;

/** A server follows its own name until people give it another. */
export function nameOnLinking(ownName: string, known: Binding | undefined, all: readonly Binding[]): Naming {
  if (known === undefined) return { name: uniqueName(ownName, all) };
  if (known.isRenamed === true) return { ...calledNow(known.name, known), isRenamed: true };
  return calledNow(
    uniqueName(
      ownName,
      all.filter((one) => one !== known),
    ),
    known,
  );
}

export function calledNow(name: string, before: Binding): Naming {
  const older = name === before.name ? [] : [before.name];
  const formerNames = [...older, ...(before.formerNames ?? []).filter((one) => one !== name)];
  return formerNames.length === 0 ? { name } : { name, formerNames: formerNames.slice(0, FORMER_NAMES_KEPT) };
}
