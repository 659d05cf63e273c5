import type { Town } from "../../src/sandbox/service/service.ts";

/** Somebody whose name is only a name. */
export const PLAIN = "Plain_Jane";

/** Names that are meant to ping, link, spoof or break a line, to be nothing, or to be too long. */
export function hostileNames([role = "", channel = "", person = ""]: readonly string[]): readonly string[] {
  return [
    `<@&${role}> @everyone`,
    `<@${person}> <#${channel}>`,
    "**bold** __u__ ~~s~~ ||h||",
    "](https://evil.example) [click",
    "```\nSPOOFED",
    "line\nSPOOFED",
    "a\u202Eevil\u200B",
    `שלום_${"\u0301".repeat(20)}`,
    "x".repeat(80),
    "`".repeat(70),
    "<t:0:R> </run:1>",
    "# Heading\n> quote",
    "\u200b",
    "@here:with:colons",
    "- list",
    "=cmd()",
  ];
}

/** 200 players with such names, or as many as are wanted, and everything that can be filled filled with them. */
export function fillTown(town: Town, names: readonly string[], count = 230): void {
  const nameOf = (n: number) => names[n % names.length] ?? "";
  town.join(PLAIN, 8_000_000_000);
  for (let n = 0; n < count; n += 1) town.join(nameOf(n), 8_100_000_000 + n);
  for (const [n, player] of town.world.players.entries()) {
    town.world.spawnVehicle(player);
    Object.assign(player, {
      team: n % 5 === 0 ? nameOf(n) : player.team,
      callsign: nameOf(n + 1),
      wantedStars: n % 7,
    });
    if (player.vehicle !== null && n % 3 === 0)
      Object.assign(player.vehicle, {
        name: nameOf(n),
        plate: nameOf(n + 1),
        texture: nameOf(n + 2),
        owner: nameOf(n + 3),
      });
    if (n < 20) town.world.staff.set(player.ref.id, { name: player.ref.name, role: "mod" });
  }
}

/** One of each thing that a log holds, by many. */
export function happen(town: Town): void {
  const { players } = town.world;
  for (const [n, { ref }] of players.slice(0, 32).entries()) {
    town.kill(ref, players[n + 1]?.ref ?? ref);
    town.world.logCommand(ref, `:pm ${ref.name} ${ref.name}`, false);
    town.modCall(ref);
    if (n % 4 === 0) town.emergencyCall(ref);
  }
  for (const player of players.slice(40, 48)) {
    town.world.setTeam(player, player.team === "DOT" ? "Fire" : "DOT");
    town.world.spawnVehicle(player);
  }
  town.join("line\nSPOOFED", 8_200_000_000);
  for (const call of town.world.openCalls.slice(0, 4))
    Object.assign(call, { description: "Help\nSPOOFED <@1> @everyone" });
}
