import { Prng, seedOf } from "../prng.ts";
import type { PlayerRef } from "./record.ts";

// Stems share beginnings on purpose: targets match by prefix, and several matches must happen in a living town.
const STEMS = [
  "Alex",
  "Alexa",
  "Alexander",
  "Sam",
  "Samuel",
  "Sammy",
  "Max",
  "Maxine",
  "Officer",
  "Ranger",
  "Trooper",
  "Captain",
  "Blaze",
  "Blazer",
  "Storm",
  "Stormy",
  "Night",
  "Nightfall",
  "River",
  "Riverside",
  "Ghost",
  "Gh0st",
  "Turbo",
  "Pixel",
  "Nova",
  "Novak",
  "Jay",
  "Jayden",
  "Luna",
  "Lunar",
  "Rocket",
  "Rocky",
  "Shadow",
  "Shade",
  "Echo",
  "Atlas",
] as const;
const TAILS = ["", "", "_", "x", "YT", "_RP", "Driver", "_OnDuty", "Fan", "Boi", "TheGreat", "_"] as const;

/** Names as unfriendly as a platform could let through: each is meant to ping, link, spoof or break a line. */
export const HOSTILE_NAMES: readonly string[] = [
  "@everyone **x** <@1>",
  "<@&1> @here",
  "](https://evil.example) [click",
  "```\nrm -rf",
  "||spoiler|| ~~gone~~ __u__",
  "a\u202Eevil\u200B",
  "name:with:colons:7",
  "<t:0:R> <#1> </run:1>",
  "# Heading\n> quote",
  '=HYPERLINK("https://evil.example")',
];

/** The person of a town with this index: the same for the same seed, whoever is asked for first. */
export function personOf(seed: number, index: number): PlayerRef {
  const random = new Prng(seedOf(seed, "person", index));
  const stem = random.pick(STEMS);
  const tail = random.pick(TAILS);
  const number = random.chance(0.7) ? String(random.int(1, 9_999)) : "";
  const id = random.int(1_000, 9_999) * 1_000_000 + index * 37 + random.int(0, 36);
  const name = `${stem}${tail}${number}`.replace(/_$/, `_${index}`);
  // The index keeps two people of one town apart where stem, tail and number agree.
  return { name: name === stem ? `${name}${index}` : name, id };
}
