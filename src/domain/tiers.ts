import type { Tier } from "./guild.ts";

/** The tiers of staff, lowest first: each includes those before it. */
export const TIERS = ["viewer", "moderator", "administrator", "manager"] as const satisfies readonly Tier[];

/** The same, highest first, as cards list them. */
export const TIERS_HIGHEST_FIRST: readonly Tier[] = TIERS.toReversed();

/** How people read them. */
export const TIER_NAMES = {
  viewer: "Viewer",
  moderator: "Moderator",
  administrator: "Administrator",
  manager: "Manager",
} as const satisfies Readonly<Record<Tier, string>>;

/** Viewer is 0, Manager 3; no tier at all is -1. */
export function tierLevel(tier: Tier | undefined): number {
  return tier === undefined ? -1 : TIERS.indexOf(tier);
}

/** The one that includes the other. */
export function higherTier(a: Tier | undefined, b: Tier | undefined): Tier | undefined {
  return tierLevel(a) >= tierLevel(b) ? a : b;
}
