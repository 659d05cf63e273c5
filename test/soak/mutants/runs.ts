import { plantedIn } from "./planted.ts";

/** Commands in the game: whom they hit, who may, once. */
export const runMutants = [
  ...plantedIn("src/runs/queue/active-run.ts", [
    {
      what: "a command is sent before the audit says so",
      from: "await this.#row.write(sending);",
      to: "void this.#row.write(sending).catch(() => undefined);",
      tests: ["runs/queue/runner", "runs/queue/interleavings"],
    },
    {
      what: "roles that were read long before are good enough when the command leaves",
      from: "nowMs >= this.#expiresAtMs || stale",
      to: "nowMs >= this.#expiresAtMs",
      tests: ["runs/queue/runner", "runs/queue/with-gate"],
    },
  ]),
  ...plantedIn("src/runs/queue/next-attempt.ts", [
    {
      what: "a command that may have run is sent again",
      from: 'if (failure.ran !== "no") return { kind: "over" };',
      to: "",
      tests: ["runs/queue/next-attempt", "runs/queue/runner"],
    },
  ]),
  ...plantedIn("src/runs/queue/server-locks.ts", [
    {
      what: "two guilds send to one server at once",
      from: "this.#taken.add(source);",
      to: "",
      tests: ["runs/queue/runner", "runs/queue/interleavings"],
    },
  ]),
  ...plantedIn("src/runs/queue/automatic-share.ts", [
    {
      what: "automatic commands go while a person waits",
      from: "if (isPersonWaiting(source)) return LOOK_AGAIN_MS;",
      to: "",
      tests: ["runs/queue/automatic-share"],
    },
  ]),
  ...plantedIn("src/runs/queue/lane.ts", [
    {
      what: "people wait behind automatic commands",
      from: "entry.automatic ? RANKS.automatic : RANKS.person",
      to: "RANKS.automatic",
      tests: ["runs/queue/runner"],
    },
    {
      what: "the queue of a server has no end",
      from: "return this.#order.size >= MOST_WAITING;",
      to: "return false;",
      tests: ["runs/queue/runner"],
    },
  ]),
  ...plantedIn("src/runs/permission/authorize-at-send.ts", [
    {
      what: "who lost the right while the command waited runs it",
      from: "if (!decision.allowed)",
      to: "if (false)",
      tests: ["runs/queue/runner"],
    },
    {
      what: "roles are not read again before sending",
      from: "nowMs - rolesReadAtMs <= ROLES_GOOD_FOR_MS",
      to: "nowMs >= rolesReadAtMs",
      tests: ["runs/queue/runner"],
    },
  ]),
  ...plantedIn("src/runs/permission/permission-rules.ts", [
    {
      what: "a role that may not run a verb runs it",
      from: "const denied = policy.denied.find(names);",
      to: "const denied = policy.denied.find(() => false);",
      tests: ["runs/permission/permission-rules"],
    },
    {
      what: "a moderator kicks an admin",
      from: "if (tierLevel(rankOf(player, people)) > tierLevel(tier)) {",
      to: "if (tierLevel(rankOf(player, people)) > tierLevel(tier) + 1) {",
      tests: ["runs/permission/permission-rules"],
    },
    {
      what: "part of a name hits a protected player",
      from: "const players = [...hit, ...mayMean(text, people)];",
      to: "const players = [...hit];",
      tests: ["runs/permission/permission-rules"],
    },
  ]),
  ...plantedIn("src/runs/audit/recover-runs.ts", [
    {
      what: "a command that was being sent at a kill is said not to have run",
      from: 'row.status === "sending" || isStoreInDoubt',
      to: "isStoreInDoubt",
      tests: ["runs/audit/late-outcomes", "runs/queue/runner", "runs/queue/interleavings"],
    },
  ]),
  ...plantedIn("src/runs/proof/match-runs.ts", [
    {
      what: "a row of the second before the sending proves nothing",
      from: "row.atS >= run.sentS - EARLY_S && row.atS <= run.endS + LATE_S",
      to: "row.atS > run.sentS && row.atS <= run.endS",
      tests: ["runs/proof/match-runs"],
    },
    {
      what: "a command that ran twice is not told",
      from: 'else proofs.set(twice.id, { proof: "seen-twice", atS });',
      to: "",
      tests: ["runs/proof/match-runs"],
    },
  ]),
  ...plantedIn("src/runs/bans/check-lift.ts", [
    {
      what: "a ban ends although a later one came",
      from: 'if (later !== undefined) return { kind: "later", row: later };',
      to: "",
      tests: ["runs/bans/ban-ends", "runs/bans/later-bans", "runs/bans/interleavings"],
    },
    {
      what: "a ban ends early by the service's clock",
      from: "if (earlyMs > 0)",
      to: "if (false)",
      tests: ["runs/bans/ban-ends", "runs/bans/interleavings"],
    },
  ]),
  ...plantedIn("src/runs/bans/asked-bans.ts", [
    {
      what: "who asked for a ban approves it",
      from: "if (asked.askerId === actor.userId)",
      to: "if (false)",
      tests: ["runs/bans/asked-bans"],
    },
    {
      what: "two approvals send two bans",
      from: "if (asked.approval !== undefined)\n        throw",
      to: "if (false)\n        throw",
      tests: ["runs/bans/asked-bans"],
    },
  ]),
  ...plantedIn("src/runs/accounts/link-codes.ts", [
    {
      what: "a code that was typed an hour ago links the account",
      from: "rows.filter(({ atS, player }) => atS >= fromS && player.id !== undefined)",
      to: "rows.filter(({ player }) => player.id !== undefined)",
      tests: ["runs/accounts/game-accounts"],
    },
  ]),
  ...plantedIn("src/runs/schedules/next-time.ts", [
    {
      what: "what is due in the hour that clocks leap over comes a day late",
      from: "return (leap ?? before).epochMilliseconds;",
      to: "return before.epochMilliseconds - 86_400_000;",
      tests: ["runs/schedules/next-time"],
    },
  ]),
  ...plantedIn("src/runs/schedules/may-schedule.ts", [
    {
      what: "a ban of somebody can be scheduled",
      from: 'if (verb.danger === "severe" || hitsPeople || command.mass) {',
      to: 'if (verb.danger === "severe" || command.mass) {',
      tests: ["runs/schedules/may-schedule"],
    },
  ]),
  ...plantedIn("src/domain/moment.ts", [
    {
      what: "12 am is noon",
      from: "(twelve % 12)",
      to: "twelve",
      tests: ["domain/moment"],
    },
  ]),
];
