import { type Escaped, joined, markdownOfOurs, md } from "../../../domain/escaped.ts";
import type { Card, CardField } from "../../../domain/message.ts";
import type { Player, ServerStatus } from "../../../domain/model.ts";
import { inlineName } from "../escape.ts";

/** What every answer about a game server shares. Pure. */

export interface Freshness {
  /** When it was seen, epoch milliseconds. */
  readonly atMs: number;
  /** Why nothing newer stands here yet, or can be had; absent when this is the newest. */
  readonly staleWhy?: Escaped | undefined;
}

export const LIVE_COLOR = 0x2d7d46;
export const STALE_COLOR = 0xe0a100;

export interface CardParts {
  readonly title: Escaped;
  readonly lines: readonly Escaped[];
  readonly seen: Freshness;
  readonly fields?: readonly CardField[];
  readonly footer?: string;
}

/** A card about a server, amber while it is not up to date; the last line says how old it is. */
export function serverCard({ title, lines, seen, fields, footer }: CardParts): Card {
  return {
    title,
    description: joined([...ageFirst(seen), ...lines, ageLine(seen.atMs)], "\n"),
    color: seen.staleWhy === undefined ? LIVE_COLOR : STALE_COLOR,
    ...(fields === undefined || fields.length === 0 ? {} : { fields }),
    ...(footer === undefined ? {} : { footer }),
  };
}

/** Why it is old, above all else. */
export function ageFirst({ staleWhy }: Pick<Freshness, "staleWhy">): Escaped[] {
  return staleWhy === undefined ? [] : [md`⏳ ${staleWhy}`];
}

/** How old a card's facts are; it counts on by itself. */
export function ageLine(atMs: number): Escaped {
  return md`-# Seen <t:${Math.floor(atMs / 1000)}:R>`;
}

/** Discord shows Markdown in titles too. */
export function serverTitle({ name }: ServerStatus): Escaped {
  return inlineName(name);
}

/** A person of the game by name where it is known; the id stands behind the link and nowhere else. */
export function profile(id: number, name?: string): Escaped {
  const shown = name === undefined ? md`profile` : inlineName(name);
  return md`[${shown}](https://www.roblox.com/users/${id}/profile)`;
}

/** Anything but an ordinary player; the game may have ranks that are not known here. */
export function isGameStaff({ permission }: Player): boolean {
  return permission !== "" && permission !== "Normal";
}

/** `★★★`, five at most. */
export function stars(count: number): Escaped {
  return markdownOfOurs("★".repeat(Math.max(0, Math.min(Math.trunc(count), 5))));
}
