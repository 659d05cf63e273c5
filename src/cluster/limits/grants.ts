import { SHARE_MS } from "../../domain/ports/shared-limits.ts";
import { divide } from "./divide.ts";

/** A share of one limit as it was last granted; times are Redis's. */
export interface Grant {
  readonly share: number;
  readonly demand: number;
  readonly untilMs: number;
}

/** Grants of one limit by the process that has them. */
export type Grants = Readonly<Record<string, Grant>>;

/** A process that asks for its share. */
export interface Asking {
  readonly token: string;
  readonly limit: number;
  readonly demand: number;
}

/**
 * Grants a process its share of a limit for `SHARE_MS`: what is fair by demand, out of what others do not hold. Who holds
 * more than is fair gives it up when it asks next, so all grants together never exceed the limit. Pure.
 */
export function grantShare(
  grants: Grants,
  { token, limit, demand }: Asking,
  nowMs: number,
): { readonly grants: Grants; readonly share: number } {
  const others = Object.entries(grants).filter(([of, { untilMs }]) => of !== token && untilMs > nowMs);
  const all = [...others.map(([of, grant]) => ({ of, demand: grant.demand })), { of: token, demand }];
  // In one order for all, so that each computes the same division.
  all.sort((a, b) => (a.of < b.of ? -1 : 1));
  const fair = divide(
    limit,
    all.map((one) => one.demand),
  );
  const mine = fair[all.findIndex(({ of }) => of === token)] ?? 0;
  const free = limit - others.reduce((sum, [, grant]) => sum + grant.share, 0);
  const share = Math.max(0, Math.min(mine, Math.floor(free)));
  const kept = Object.fromEntries(others);
  return { grants: { ...kept, [token]: { share, demand, untilMs: nowMs + SHARE_MS } }, share };
}
