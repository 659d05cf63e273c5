import type { DutyLink, DutyMark, DutyType } from "../domain/duty.ts";
import type { TypedRow } from "../domain/ports/duty-store.ts";
import { markId } from "./duty-rows.ts";

/** What staff typed in the game about their shift: `:log duty`, `:log break`, `:log off`. Pure. */

const TYPED = /^\s*:log\s+(duty|break|off)(?:\s+(.*))?$/iu;

export interface TypedMark {
  readonly mark: DutyMark;
  /** Of "start": the type that was named, in lower case; empty: none was. */
  readonly typeName: string;
}

/** Marks in the order in which they were typed, of rows by whose account it was then. */
export function typedMarks(rows: readonly TypedRow[], links: readonly DutyLink[]): readonly TypedMark[] {
  return rows.flatMap(({ id, playerId, atS, text }): readonly TypedMark[] => {
    const [, verb = "", name = ""] = TYPED.exec(text) ?? [];
    const link = links.find(
      (one) =>
        one.playerId === playerId && one.fromS <= atS && atS < (one.untilS ?? Number.POSITIVE_INFINITY),
    );
    if (verb === "" || link === undefined) return [];
    const kinds = { duty: "start", break: "break", off: "end" } as const;
    const kind = kinds[verb.toLowerCase() as keyof typeof kinds];
    const mark: DutyMark = { id: markId(atS, `500 ${id}`), userId: link.userId, atS, kind, by: "game" };
    return [{ mark, typeName: name.trim().toLowerCase() }];
  });
}

/** The type that somebody with these roles starts by typing; undefined: none that they may. */
export function typeTyped(
  types: readonly DutyType[],
  { typeName, roleIds }: { readonly typeName: string; readonly roleIds: readonly string[] },
): DutyType | undefined {
  return types
    .filter(({ start, untilS }) => (start === "declared" || start === "outside") && untilS === undefined)
    .filter(({ name }) => typeName === "" || name.toLowerCase() === typeName)
    .find(({ requiredRoleId }) => requiredRoleId === undefined || roleIds.includes(requiredRoleId));
}
