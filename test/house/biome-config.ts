/** The house rules (CONTRIBUTING.md) as the configuration of biome. */

type Wing =
  | "api"
  | "watch"
  | "journal"
  | "feeds"
  | "runs"
  | "history"
  | "alerts"
  | "duty"
  | "sessions"
  | "rules"
  | "appeals"
  | "outbox"
  | "store"
  | "cluster"
  | "discord"
  | "ops";
const wings: readonly Wing[] = [
  "api",
  "watch",
  "journal",
  "feeds",
  "runs",
  "history",
  "alerts",
  "duty",
  "sessions",
  "rules",
  "appeals",
  "outbox",
  "store",
  "cluster",
  "discord",
  "ops",
];

interface Group {
  readonly group: readonly string[];
  readonly message: string;
}

const packageHome: Readonly<Record<string, readonly string[]>> = {
  undici: ["api"],
  "p-queue": ["runs"],
  kysely: ["history"],
  pg: ["history"],
  echarts: ["history"],
  gifenc: ["history"],
  "@resvg/resvg-js": ["history"],
  "@expo-google-fonts/inter": ["history"],
  keyv: ["store"],
  "@redis/client": ["store", "cluster"],
  "discord.js": ["discord", "commands"],
  "discord-api-types": ["discord", "commands"],
  "@discordjs/rest": ["discord", "deploy"],
  "prom-client": ["ops"],
  pino: ["log"],
};

/** The packages that a room may not import. */
function packagesFor(room: string): Group[] {
  return Object.entries(packageHome)
    .filter(([, homes]) => !homes.includes(room))
    .map(([name, homes]) => ({
      group: [name, `${name}/**`],
      message: `${name} belongs in ${homes.join(" and ")}; use a port of domain/ports.`,
    }));
}

function wingsExcept(own: readonly string[], message: string): Group {
  return {
    group: wings.filter((wing) => !own.includes(wing)).flatMap((wing) => [`**/${wing}/**`, `./${wing}/**`]),
    message,
  };
}

const noSandbox: Group = {
  group: ["**/sandbox/**"],
  message: "The bot does not know that an emulator exists.",
};
const noCommands: Group = {
  group: ["**/commands/**"],
  message: "Only build-marshal.ts and deploy/ know the list of commands.",
};
const noMain: Group = {
  group: ["**/main.ts", "**/build-marshal.ts", "**/guild-lifecycle.ts"],
  message: "main.ts and build-marshal.ts are the top: no wing imports them.",
};
const noConfig: Group = {
  group: ["**/config.ts"],
  message: "Wings get plain values; only main.ts and build-marshal.ts read the Config.",
};

/** Discord's limit holds over all requests: what leaves past the outbox is not counted. */
const noSink: Group = {
  group: ["**/ports/sink.ts"],
  message: "Only outbox/ is given the Sink: say what is to stand in Discord by the port Posts.",
};
/** They take the sink's requests to Discord, and answer interactions, which need no turn. */
const withSink: readonly Wing[] = ["outbox", "discord"];

function rule(patterns: readonly Group[]): object {
  return {
    linter: {
      rules: { style: { noRestrictedImports: { level: "error", options: { patterns } } } },
    },
  };
}

function room(includes: readonly string[], patterns: readonly Group[]): object {
  return { includes, ...rule(patterns) };
}

function wingRoom(wing: Wing): object {
  const others = wingsExcept(
    [wing],
    "A wing never imports another wing: exchange words of domain/ through a port.",
  );
  const sink = withSink.includes(wing) ? [] : [noSink];
  const above = [noSandbox, noCommands, noMain, noConfig];
  return room([`src/${wing}/**`], [...packagesFor(wing), others, ...above, ...sink]);
}

/**
 * Names inside the sandbox (`sandbox/discord`) look like wings, so its patterns are anchored by depth:
 * a file `depth` folders below src/sandbox reaches the bot by exactly `depth + 1` steps up.
 */
function sandboxRoom(depth: number): object {
  const up = "../".repeat(depth + 1);
  const rooms = [...wings, "domain"].map((name) => `${up}${name}/**`);
  const files = ["main", "config", "log", "clock"].map((name) => `${up}${name}.ts`);
  return room(
    [`src/sandbox/${"*/".repeat(depth)}*.ts`],
    [
      {
        group: [...rooms, ...files, "**/commands/**"],
        message:
          "The sandbox shares no code with the bot: the same misreading on both sides would hide itself.",
      },
    ],
  );
}

/** All of biome.json. */
export function biomeConfig(): object {
  return {
    $schema: "./node_modules/@biomejs/biome/configuration_schema.json",
    files: {
      includes: [
        "**",
        "!**/node_modules",
        "!package-lock.json",
        "!test-output",
        "!.sandbox",
        "!data",
        "!**/*.snap",
      ],
    },
    formatter: { indentStyle: "space", indentWidth: 2, lineWidth: 110 },
    plugins: ["./test/house/slips.grit"],
    linter: {
      rules: {
        preset: "recommended",
        suspicious: {
          noImportCycles: { level: "error", options: { ignoreTypes: false } },
          noExplicitAny: "error",
        },
        style: {
          noDefaultExport: "error",
          noNonNullAssertion: "error",
          noProcessEnv: "error",
          useImportType: "error",
          useNodejsImportProtocol: "error",
          noEnum: "error",
          useConsistentArrayType: "error",
        },
        performance: { noBarrelFile: "error" },
        correctness: { noUnusedVariables: "error", noUnusedImports: "error" },
      },
    },
    overrides: [
      {
        // More than three arguments become an object with names.
        includes: [
          "commands/**",
          "src/domain/**",
          "src/discord/**",
          "src/runs/**",
          "src/ops/**",
          "src/store/**",
          // The port of a store is still growing there.
          "!src/store/redis/**",
        ],
        linter: { rules: { complexity: { useMaxParams: { level: "error", options: { max: 3 } } } } },
      },
      room(
        ["src/domain/**"],
        [
          ...packagesFor("domain"),
          { group: ["../**"], message: "domain/ is the ground floor: it imports nothing of ours." },
        ],
      ),
      room(
        ["src/domain/ports/**"],
        [
          ...packagesFor("domain"),
          { group: ["../../**"], message: "domain/ is the ground floor: it imports nothing of ours." },
        ],
      ),
      room(
        ["src/config.ts", "src/log.ts", "src/known-secrets.ts"],
        [
          ...packagesFor("config").filter(({ group }) => !group.includes("pino")),
          wingsExcept([], "config and log stand below the wings."),
          noSandbox,
          noCommands,
        ],
      ),
      ...wings.map(wingRoom),
      room(
        ["commands/**"],
        [
          ...packagesFor("commands"),
          {
            group: [
              "**/store/**",
              "**/api/**",
              "**/watch/**",
              "**/journal/**",
              "**/feeds/**",
              "**/runs/**",
              "**/history/**",
              "**/alerts/**",
              "**/duty/**",
              "**/outbox/**",
              "**/ops/**",
            ],
            message:
              "Commands import domain, discord/command.ts, discord/services.ts and discord/render only.",
          },
          {
            group: [
              "**/discord/*",
              "!**/discord/command.ts",
              "!**/discord/services.ts",
              "!**/discord/render/**",
            ],
            message: "Of discord/, commands see command.ts, services.ts and render/ only.",
          },
          noSandbox,
          noMain,
          noConfig,
          noSink,
        ],
      ),
      room(
        [
          "src/main.ts",
          "src/build-marshal.ts",
          "src/guild-lifecycle.ts",
          "src/document-table.ts",
          "src/open-documents.ts",
          "deploy/**",
        ],
        [noSandbox, noSink],
      ),
      ...[0, 1, 2, 3].map(sandboxRoom),
      {
        includes: ["src/config.ts", "src/sandbox/**", "test/**"],
        linter: { rules: { style: { noProcessEnv: "off" } } },
      },
      {
        // node:test takes a reporter by its default export.
        includes: ["test/support/reporter.ts"],
        linter: { rules: { style: { noDefaultExport: "off" } } },
      },
      {
        includes: ["commands/index.ts"],
        linter: { rules: { performance: { noBarrelFile: "off" } } },
      },
    ],
  };
}
