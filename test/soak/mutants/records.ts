import { plantedIn } from "./planted.ts";

/** What is kept, shown and told: secrets, the store, the history, alerts, duty, Discord. */
export const recordMutants = [
  ...plantedIn("src/log.ts", [
    {
      what: "a server key stands in the log",
      from: "const clean = secrets.conceal(named);",
      to: "const clean = named;",
      tests: ["log/log"],
    },
  ]),
  ...plantedIn("src/known-secrets.ts", [
    {
      what: "a server key in an address stands in the log",
      from: "JSON.stringify(json).slice(1, -1), encodeForAddress(secret)]",
      to: "JSON.stringify(json).slice(1, -1)]",
      tests: ["log/log"],
    },
    {
      what: "what was typed as a key is remembered without end",
      from: "if (oldest !== undefined && this.#typed.size > MOST_TYPED) end(oldest);",
      to: "",
      tests: ["log/log"],
    },
  ]),
  ...plantedIn("src/store/vault.ts", [
    {
      what: "all keys are sealed with one nonce",
      from: "const nonce = randomBytes(NONCE_BYTES);",
      to: "const nonce = Buffer.alloc(NONCE_BYTES);",
      tests: ["store/vault"],
    },
  ]),
  ...plantedIn("src/store/rotation.ts", [
    {
      what: "after a new secret the keys of small guilds stay under the old one",
      from: "if (changed > 0) await own.set",
      to: "if (changed > 1) await own.set",
      tests: ["store/rotation"],
    },
  ]),
  ...plantedIn("deploy/restore.ts", [
    {
      what: "a backup of another secret takes the place of a good store",
      from: "if (config.secretKey === undefined ? opens.file : opens.given) return;",
      to: "if (opens.file || !opens.file) return;",
      tests: ["deploy/restore"],
    },
  ]),
  ...plantedIn("deploy/backups.ts", [
    {
      what: "backups without a secret push out those that have it",
      from: "(isWhole || !existsSync(join(folder, one, SECRET)))",
      to: "existsSync(join(folder, one))",
      tests: ["deploy/restore"],
    },
  ]),
  ...plantedIn("src/store/settings.ts", [
    {
      what: "of two changes at once the first is lost",
      from: "change: (guildId, edit) => turns.take(guildId, () => change(guildId, edit)),",
      to: "change: (guildId, edit) => change(guildId, edit),",
      tests: ["store/settings"],
    },
  ]),
  ...plantedIn("src/store/sqlite/group-commit.ts", [
    {
      what: "a write is answered before it is on the disk",
      from: 'const isFull = request.kind === "write" && request.durability === "full";',
      to: "const isFull = false;",
      tests: ["store/group-commit", "store/crash"],
    },
    {
      what: "one refused statement takes its neighbours along",
      from: "if (group.length > 1) return group.map((one) => this.#alone(one));",
      to: 'if (group.length > 1) return group.map(() => ({ kind: "refused" as const, error }));',
      tests: ["store/group-commit", "store/failing-disk"],
    },
  ]),
  ...plantedIn("src/store/redis/redis-scripts.ts", [
    {
      what: "a process without the lease writes",
      from: "if redis.call('GET', key) ~= ARGV[#ARGV - 1] then return false end",
      to: "",
      tests: ["store/redis"],
    },
  ]),
  ...plantedIn("src/store/transfer.ts", [
    {
      what: "a store under another secret is imported",
      from: "if (first.secret !== undefined && !fingerprints.includes(first.secret)) {",
      to: "if (false) {",
      tests: ["store/transfer"],
    },
    {
      what: "the last rows of a table are not copied",
      from: "  await store.write(rows);\n",
      to: "",
      tests: ["store/transfer"],
    },
  ]),
  ...plantedIn("src/alerts/windows/sprees.ts", [
    {
      what: "the last second of a window does not count",
      from: "if (last.atS - first.atS <= limit.withinS) return start;",
      to: "if (last.atS - first.atS < limit.withinS) return start;",
      tests: ["alerts/sprees"],
    },
  ]),
  ...plantedIn("src/alerts/windows/levels.ts", [
    {
      what: "one odd answer says that the server is full",
      from: "const ANSWERS_TO_TELL = 2;",
      to: "const ANSWERS_TO_TELL = 1;",
      tests: ["alerts/levels"],
    },
  ]),
  ...plantedIn("src/alerts/windows/waiting-calls.ts", [
    {
      what: "a call that somebody took is said to wait",
      from: "!isTaken(call)",
      to: "true",
      tests: ["alerts/waiting-calls", "alerts/alerts"],
    },
  ]),
  ...plantedIn("src/alerts/alert-follower.ts", [
    {
      what: "an alert that could not be written is remembered as told",
      from: "      this.#states.delete(binding.id);\n      const { logs = []",
      to: "      const { logs = []",
      tests: ["alerts/alerts", "alerts/simulation", "alerts/server-state"],
    },
  ]),
  ...plantedIn("src/history/ingest/inferred-visits.ts", [
    {
      what: "who is listed in one answer has come",
      from: "else if (seen === undefined) presence.appearing.set(person, look);",
      to: "",
      tests: ["history/sessions", "history/ingest"],
    },
  ]),
  ...plantedIn("src/history/queries/forget-player.ts", [
    {
      what: "a player who was forgotten is recorded again by the next answer",
      from: "await raiseBarrier(db, { guild, mark: context.markOf(guildId, who), until_s: untilS });",
      to: "",
      tests: ["history/privacy"],
    },
    {
      what: "the name of a forgotten player stands in commands of others",
      from: "const blankedCommands = await blankCommands(db, guild, about);",
      to: "const blankedCommands = 0;",
      tests: ["history/privacy"],
    },
  ]),
  ...plantedIn("src/history/stats/hours.ts", [
    {
      what: "a look counts until the next one, days later",
      from: "Math.min(nextS, last.atS + LOOK_VALID_S, this.#span.toS)",
      to: "Math.min(nextS, this.#span.toS)",
      tests: ["history/stats/hours"],
    },
  ]),
  ...plantedIn("src/domain/zone-time.ts", [
    {
      what: "weeks begin on Tuesday",
      from: "return (((day + 3) % 7) + 7) % 7;",
      to: "return (((day + 2) % 7) + 7) % 7;",
      tests: ["history/stats/hours", "runs/schedules/next-time"],
    },
    {
      what: "hours of a zone at half an hour begin at full ones",
      from: "return { startS: hours * HOUR_S - offsetS,",
      to: "return { startS: hours * HOUR_S - Math.round(offsetS / HOUR_S) * HOUR_S,",
      tests: ["history/stats/hours"],
    },
  ]),
  ...plantedIn("src/history/cases/case-of-command.ts", [
    {
      what: "two equal commands in one second make one case",
      from: "ordinal: item.ordinal ?? 0",
      to: "ordinal: 0",
      tests: ["history/cases/case-of-command", "history/cases/cases"],
    },
    {
      what: "a command that did not run makes a case",
      from: 'if (record.status !== "done" && record.status !== "unknown") return undefined;',
      to: "",
      tests: ["history/cases/case-of-command"],
    },
  ]),
  ...plantedIn("src/history/cases/change-case.ts", [
    {
      what: "the edits of a case grow without end",
      from: "if (edits.length > MOST_EDITS) next = withRoom(next);",
      to: "",
      tests: ["history/cases/change-case"],
    },
  ]),
  ...plantedIn("src/duty/quota-periods.ts", [
    {
      what: "a quota of a fortnight resets each week",
      from: 'const length = period === "week" ? 7 : 14;',
      to: "const length = 7;",
      tests: ["duty/quotas"],
    },
  ]),
  ...plantedIn("src/duty/duty-roles.ts", [
    {
      what: "a role that somebody had before is taken at the end of a shift",
      from: 'if (state === undefined && (await roles.has(role))) return await this.#note(role, "own");',
      to: "",
      tests: ["duty/duty-roles"],
    },
    {
      what: "a role that was given before a kill is never taken back",
      from: 'await this.#note(role, "giving");\n    const gave',
      to: "const gave",
      tests: ["duty/duty-roles"],
    },
    {
      what: "a role with powers is given",
      from: "if (bar !== undefined) return await this.#refuse(role, state);",
      to: "",
      tests: ["duty/duty-roles"],
    },
  ]),
  ...plantedIn("src/domain/quota.ts", [
    {
      what: "one's own correction counts without a second Manager",
      from: "userId === byId && confirmedBy === undefined && isOwner !== true",
      to: "userId === byId && confirmedBy === undefined && isOwner === false",
      tests: ["duty/quotas"],
    },
  ]),
  ...plantedIn("src/discord/interactions/guild-allowance.ts", [
    {
      what: "one guild may take all of the answers",
      from: "if (left < 1) return false;",
      to: "",
      tests: ["discord/interactions/dispatch"],
    },
  ]),
  ...plantedIn("src/discord/messages/compose.ts", [
    {
      what: "a player's name pings everybody",
      from: "return { parse: [] };",
      to: 'return { parse: ["everyone" as never] };',
      tests: ["discord/messages/sink"],
    },
    {
      what: "Discord may post a message twice",
      from: "      enforce_nonce: true,\n",
      to: "",
      tests: ["discord/messages/sink"],
    },
  ]),
  ...plantedIn("src/discord/render/escape.ts", [
    {
      what: "a player's name draws over the line above",
      from: '    .replace(STACKED_MARKS, "$1")\n',
      to: "",
      tests: ["discord/render/escape"],
    },
    {
      what: "a player's name mentions a member",
      from: '.replace(/@/g, "@\\u200b")\n    .replace(/^[-+]/',
      to: ".replace(/^[-+]/",
      tests: ["discord/render/escape"],
    },
  ]),
  ...plantedIn("src/ops/readiness.ts", [
    {
      what: "a host that is blocked says that it is ready",
      from: "if (facts.blockedUntilMs !== undefined) {",
      to: "if (false) {",
      tests: ["ops/readiness"],
    },
  ]),
  ...plantedIn("src/config.ts", [
    {
      what: "the retired address is asked",
      from: '"") === RETIRED_HOST) {',
      to: '"") === "") {',
      tests: ["config/config"],
    },
  ]),
];
