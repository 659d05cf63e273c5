import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { biomeConfig } from "./biome-config.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A file that breaks one rule of the house, and the rule that has to say so. */
interface Breach {
  readonly what: string;
  readonly path: string;
  readonly code: string;
  readonly rule: string;
}

const wings = [
  "api",
  "watch",
  "journal",
  "feeds",
  "runs",
  "history",
  "alerts",
  "outbox",
  "store",
  "cluster",
  "discord",
  "ops",
];
const restricted = "lint/style/noRestrictedImports";
const importOf = (from: string) => `import { x } from "${from}";\nexport const y = x;\n`;

const breaches: readonly Breach[] = [
  ...wings.map((wing, index) => {
    const other = wings[(index + 1) % wings.length];
    return {
      what: `${wing} imports the wing ${other}`,
      path: `src/${wing}/a.ts`,
      code: importOf(`../${other}/b.ts`),
      rule: restricted,
    };
  }),
  {
    what: "a wing imports a wing from a folder below it",
    path: "src/discord/render/a.ts",
    code: importOf("../../feeds/b.ts"),
    rule: restricted,
  },
  {
    what: "a wing imports only a type of another wing",
    path: "src/runs/t.ts",
    code: 'import type { T } from "../store/b.ts";\nexport type U = T;\n',
    rule: restricted,
  },
  {
    what: "a wing imports a command",
    path: "src/discord/c.ts",
    code: importOf("../../commands/run.ts"),
    rule: restricted,
  },
  { what: "a wing imports main", path: "src/ops/m.ts", code: importOf("../main.ts"), rule: restricted },
  {
    what: "a wing imports the config",
    path: "src/api/g.ts",
    code: importOf("../config.ts"),
    rule: restricted,
  },
  {
    what: "domain imports something of ours",
    path: "src/domain/a.ts",
    code: importOf("../log.ts"),
    rule: restricted,
  },
  {
    what: "the bot imports the sandbox",
    path: "src/api/s.ts",
    code: importOf("../sandbox/service/service.ts"),
    rule: restricted,
  },
  {
    what: "main imports the sandbox",
    path: "src/main.ts",
    code: importOf("./sandbox/main.ts"),
    rule: restricted,
  },
  {
    what: "the sandbox imports a wing",
    path: "src/sandbox/service/a.ts",
    code: importOf("../../api/schema.ts"),
    rule: restricted,
  },
  {
    what: "the sandbox imports domain",
    path: "src/sandbox/discord/d.ts",
    code: importOf("../../domain/model.ts"),
    rule: restricted,
  },
  {
    what: "the sandbox imports the bot's discord wing",
    path: "src/sandbox/discord/rest/d.ts",
    code: importOf("../../../discord/sink.ts"),
    rule: restricted,
  },
  {
    what: "a command imports a wing",
    path: "commands/a.ts",
    code: importOf("../src/runs/runner.ts"),
    rule: restricted,
  },
  {
    what: "a command imports more of discord/ than its contract",
    path: "commands/b.ts",
    code: importOf("../src/discord/sink.ts"),
    rule: restricted,
  },
  {
    what: "a wing is given the sink",
    path: "src/feeds/s.ts",
    code: 'import type { Sink } from "../domain/ports/sink.ts";\nexport type U = Sink;\n',
    rule: restricted,
  },
  {
    what: "a command is given the sink",
    path: "commands/s.ts",
    code: 'import type { Sink } from "../src/domain/ports/sink.ts";\nexport type U = Sink;\n',
    rule: restricted,
  },
  {
    what: "what builds the bot hands the sink on",
    path: "src/build-marshal.ts",
    code: 'import type { Sink } from "./domain/ports/sink.ts";\nexport type U = Sink;\n',
    rule: restricted,
  },
  { what: "undici outside api", path: "src/feeds/u.ts", code: importOf("undici"), rule: restricted },
  { what: "p-queue outside runs", path: "src/api/q.ts", code: importOf("p-queue"), rule: restricted },
  { what: "kysely outside history", path: "src/store/y.ts", code: importOf("kysely"), rule: restricted },
  { what: "pg outside history", path: "src/store/g.ts", code: importOf("pg"), rule: restricted },
  {
    what: "echarts outside history",
    path: "src/discord/e.ts",
    code: importOf("echarts/core"),
    rule: restricted,
  },
  { what: "gifenc outside history", path: "src/feeds/gi.ts", code: importOf("gifenc"), rule: restricted },
  { what: "echarts in a command", path: "commands/e.ts", code: importOf("echarts"), rule: restricted },
  {
    what: "resvg outside history",
    path: "src/feeds/v.ts",
    code: importOf("@resvg/resvg-js"),
    rule: restricted,
  },
  {
    what: "the font outside history",
    path: "src/ops/n.ts",
    code: importOf("@expo-google-fonts/inter"),
    rule: restricted,
  },
  { what: "keyv outside store", path: "src/feeds/k.ts", code: importOf("keyv"), rule: restricted },
  {
    what: "discord.js outside discord and commands",
    path: "src/runs/d.ts",
    code: importOf("discord.js"),
    rule: restricted,
  },
  {
    what: "@discordjs/rest in a command",
    path: "commands/r.ts",
    code: importOf("@discordjs/rest"),
    rule: restricted,
  },
  {
    what: "process.env outside config",
    path: "src/store/e.ts",
    code: "export const y = process.env;\n",
    rule: "lint/style/noProcessEnv",
  },
  {
    what: "process.env taken apart",
    path: "src/store/f.ts",
    code: "const { env } = process;\nexport const y = env;\n",
    rule: "plugin",
  },
  {
    what: "a computed import()",
    path: "src/api/i.ts",
    code: "export const y = (name: string) => import(name);\n",
    rule: "plugin",
  },
  {
    what: 'a type by import("x")',
    path: "src/api/j.ts",
    code: 'export type Y = import("../store/b.ts").T;\n',
    rule: "plugin",
  },
  {
    what: "a cycle of files",
    path: "src/watch/one.ts",
    code: 'import { two } from "./two.ts";\nexport const one = () => two;\n',
    rule: "lint/suspicious/noImportCycles",
  },
  {
    what: "a cycle of types",
    path: "src/watch/three.ts",
    code: 'import type { Four } from "./four.ts";\nexport interface Three { readonly four: Four }\n',
    rule: "lint/suspicious/noImportCycles",
  },
  {
    what: "a default export",
    path: "src/api/x.ts",
    code: "export default 1;\n",
    rule: "lint/style/noDefaultExport",
  },
];

/** What stands beside the breaches, and what is allowed and must stay silent. */
const others: Readonly<Record<string, string>> = {
  "src/watch/two.ts": 'import { one } from "./one.ts";\nexport const two = () => one;\n',
  "src/watch/four.ts":
    'import type { Three } from "./three.ts";\nexport interface Four { readonly three: Three }\n',
  "src/api/allowed.ts":
    'import { request } from "undici";\nimport { Failure } from "../domain/failure.ts";\nexport const y = [request, Failure];\n',
  "src/sandbox/discord/rest/allowed.ts":
    'import { a } from "../../discord/state.ts";\nimport { b } from "../gateway.ts";\nexport const y = [a, b];\n',
  "src/sandbox/web/allowed.ts":
    'import { a } from "../discord/discord.ts";\nimport { b } from "../service/service.ts";\nexport const y = [a, b];\n',
  "src/discord/render/allowed.ts":
    'import { a } from "./escape.ts";\nimport { b } from "../compose.ts";\nimport { c } from "discord.js";\nexport const y = [a, b, c];\n',
  "commands/allowed.ts":
    'import { a } from "../src/discord/command.ts";\nimport { e } from "../src/discord/services.ts";\nimport { b } from "../src/discord/render/escape.ts";\nimport { c } from "../src/domain/failure.ts";\nimport { d } from "discord.js";\nexport const y = [a, b, c, d, e];\n',
};

describe("the rules of the house", () => {
  let folder = "";
  const found = new Map<string, string[]>();

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "marshal-house-"));
    for (const name of ["biome.json", "test/house/slips.grit"]) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      cpSync(join(root, name), join(folder, name));
    }
    for (const [path, code] of [
      ...breaches.map(({ path, code }) => [path, code] as const),
      ...Object.entries(others),
    ]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), code);
    }
    const biome = join(root, "node_modules/.bin/biome");
    const run = spawnSync(biome, ["lint", "--reporter=json", "--max-diagnostics=none", "."], {
      cwd: folder,
      encoding: "utf8",
    });
    const report = JSON.parse(run.stdout) as {
      diagnostics: { category: string; location: { path: unknown } }[];
    };
    for (const { category, location } of report.diagnostics) {
      const path =
        typeof location.path === "string" ? location.path : String((location.path as { file?: string }).file);
      found.set(path, [...(found.get(path) ?? []), category]);
    }
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test("biome.json is what its script writes", () => {
    assert.deepEqual(
      JSON.parse(readFileSync(join(root, "biome.json"), "utf8")),
      JSON.parse(JSON.stringify(biomeConfig())),
    );
  });

  test("each wing is handed what it needs by name, and open keys go to api alone", () => {
    const [marshal = "", service = ""] = ["build-marshal.ts", "build-service.ts"].map((file) =>
      readFileSync(join(root, "src", file), "utf8"),
    );
    assert.doesNotMatch(marshal + service, /\.\.\.kept\b/);
    // The HMAC by which /setup finds a key that is linked already, and the client of the service.
    assert.deepEqual(marshal.match(/kept\.keys\S*/g), ["kept.keys.sourceOf,"]);
    assert.deepEqual(service.match(/kept\.keys\S*/g), ["kept.keys,"]);
    // All documents at once: for the one file that hands the keys to the client.
    assert.match(marshal, /buildService\(\{[^}]*\bkept,/);
    assert.equal(marshal.match(/\bkept,/g)?.length, 1);
  });

  for (const { what, path, rule } of breaches) {
    test(`caught: ${what}`, () =>
      assert.ok(found.get(path)?.includes(rule), `${path}: ${found.get(path) ?? "nothing said"}`));
  }

  for (const path of Object.keys(others).filter((name) => name.endsWith("allowed.ts"))) {
    test(`allowed: ${path}`, () => assert.equal(found.get(path), undefined));
  }
});
