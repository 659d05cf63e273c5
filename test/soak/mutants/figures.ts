import { plantedIn } from "./planted.ts";

/** Figures and words that were once untrue, as they were then. */
export const figureMutants = [
  ...plantedIn("src/history/ingest/store-logs.ts", [
    {
      what: "the last look without an answer is the call itself",
      from: "open_s: beforeS ?? null };",
      to: "open_s: null };",
      tests: ["history/week"],
    },
  ]),
  ...plantedIn("src/discord/render/players/player-card.ts", [
    {
      what: "who called nobody has answered nothing",
      from: "if (callsMade + callsAnswered + callsNearKills === 0) return [];",
      to: "if (callsMade + callsNearKills === 0) return [];",
      tests: ["discord/render/player-show"],
    },
    {
      what: "calls that were answered are a part of those that were made",
      from: "[md`Answered ",
      to: "[md`Of which answered ",
      tests: ["discord/render/player-show"],
    },
  ]),
  ...plantedIn("src/history/ingest/inferred-visits.ts", [
    {
      what: "nobody is seen leaving a game that started again until somebody joins",
      from: "[...presence.inside].filter((one) => !listed.has(one))",
      to: "[...presence.inside].filter((one) => listed.size > 0 && !listed.has(one))",
      tests: ["history/week"],
    },
    {
      what: "who comes back after a start of the game had never left",
      from: "else if (isJoin && presence.inside.has(person)) missed.push(missedLeave(presence, person, atS));",
      to: "",
      tests: ["history/week"],
    },
    {
      what: "an end that nobody saw counts to the look after it",
      from: "return { person, kind, at_s: change.atS, after_s: change.afterS ?? null };",
      to: "return { person, kind, at_s: change.atS, after_s: null };",
      tests: ["history/week"],
    },
  ]),
  ...plantedIn("src/discord/render/stats/server-stats.ts", [
    {
      what: "staff were on whenever players were, beside minutes without staff",
      from: ": uncoveredS === 0\n",
      to: ": uncoveredS >= 0\n",
      tests: ["discord/render/stats"],
    },
  ]),
  ...plantedIn("src/history/ingest/card-answers.ts", [
    {
      what: "a call that was claimed on its card is answered by nobody",
      from: "for (const call of same) answers.push(",
      to: "for (const call of same.slice(1)) answers.push(",
      tests: ["history/stats/stats"],
    },
    {
      what: "a call that was claimed on its card was answered at once",
      from: "answeredS: Math.max(atS, Math.floor(taken.atMs / MS_PER_S))",
      to: "answeredS: atS",
      tests: ["history/stats/stats"],
    },
  ]),
  ...plantedIn("src/alerts/windows/levels.ts", [
    {
      what: "a server is said to have been full while it was nearly full",
      from: "endedS: level.lastS ?? awayS }",
      to: "endedS: awayS }",
      tests: ["alerts/alerts"],
    },
  ]),
  ...plantedIn("src/discord/render/entry-line.ts", [
    {
      what: "durations are cut and not rounded",
      from: "const minutes = Math.round(s / 60);",
      to: "const minutes = Math.floor(s / 60);",
      tests: ["discord/render/feed"],
    },
  ]),
  ...plantedIn("src/history/cases/case-maker.ts", [
    {
      what: "cases of the first look are numbered as the log has them",
      from: "rows.toSorted((a, b) => a.row.atS - b.row.atS)",
      to: "rows",
      tests: ["history/cases/cases"],
    },
  ]),
  ...plantedIn("src/duty/shift-declared.ts", [
    {
      what: "a shift goes on after its account was unlinked",
      from: 'if (kind === "unlinked") return "unlinked";',
      to: 'if (kind === "unlinked") return "same";',
      tests: ["duty/road"],
    },
  ]),
  ...plantedIn("src/duty/leave-desk.ts", [
    {
      what: "an owner approves their own leave beside other Managers",
      from: "(await mayOthersDecide(actor))",
      to: "false",
      tests: ["duty/staffing"],
    },
  ]),
  ...plantedIn("src/history/pictures/picture-desk.ts", [
    {
      what: "the map waits for somebody's figures",
      from: 'kind === "map" || kind === "replay") ? "map" : "figures"',
      to: 'kind === "map" || kind === "replay") ? "figures" : "figures"',
      tests: ["history/pictures/map"],
    },
  ]),
  ...plantedIn("src/history/pictures/players-chart.ts", [
    {
      what: "an hour alone is not drawn",
      from: "isHole(at - 1) && isHole(at + 1) ? value",
      to: 'isHole(at - 1) && isHole(at + 1) ? { value, symbol: "none" }',
      tests: ["history/pictures/pictures"],
    },
  ]),
  ...plantedIn("commands/server-state.ts", [
    {
      what: "an answer has the age of the status beside lists that are older",
      from: "seen: { atMs: Math.min(state.statusAtMs, ...ages), staleWhy: why },",
      to: "seen: { atMs: state.statusAtMs, staleWhy: why },",
      tests: ["commands/server"],
    },
  ]),
  ...plantedIn("commands/me.ts", [
    {
      what: "only who was in a list before can be linked",
      from: "const unread = await Promise.all(servers.map((binding) => readPlayers(services, binding, signal)));",
      to: "const unread = await Promise.all(servers.map(async (): Promise<Failure | undefined> => undefined));",
      tests: ["commands/me-e2e"],
    },
  ]),
  ...plantedIn("src/domain/command-hits.ts", [
    {
      what: "a command on oneself is a punishment",
      from: "!isSamePlayer(player, self),",
      to: "!isSamePlayer(player, undefined),",
      tests: ["domain/command-hits"],
    },
  ]),
];
