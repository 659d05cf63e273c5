import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

/** Packages of hundreds of files, which each of about a hundred processes and threads of the suite would open one by one. */
const MODULES = ["kysely", "kysely/migration"];
/** They share classes (`instanceof`), so that they come out of one file. */
const COMMON_JS = ["discord.js", "@discordjs/rest"];
/** Optional parts that are not installed. */
const ABSENT = ["zlib-sync", "bufferutil", "utf-8-validate", "erlpack"];
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const FOLDER = join(ROOT, "node_modules/.cache/bundles");
const HOOK = new URL("./use-bundles.mjs", import.meta.url);

/**
 * Writes each of these packages into one file, once for what is installed. Answers what Node has to be started with to
 * load them from there (NODE_OPTIONS). What runs without it, as `npm start` does, takes them from where they are.
 */
export async function bundlePackages(): Promise<string> {
  const lock = readFileSync(join(ROOT, "node_modules/.package-lock.json"), "utf8");
  const mark = join(FOLDER, "made-of.json");
  if (!existsSync(mark) || readFileSync(mark, "utf8") !== lock) {
    const made = `${FOLDER}.${process.pid}`;
    await writeBundles(made);
    writeFileSync(join(made, "made-of.json"), lock);
    rmSync(FOLDER, { recursive: true, force: true });
    renameSync(made, FOLDER);
  }
  return `--import=${HOOK.href}`;
}

async function writeBundles(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const common = { bundle: true, platform: "node", logLevel: "error", external: ABSENT } as const;
  const entryPoints = Object.fromEntries(
    MODULES.map((name) => [fileOf(name), fileURLToPath(import.meta.resolve(name))]),
  );
  const outExtension = { ".js": ".mjs" };
  await build({ ...common, entryPoints, format: "esm", splitting: true, outdir: folder, outExtension });

  const all = COMMON_JS.map((name) => `${JSON.stringify(name)}: require(${JSON.stringify(name)})`).join();
  const stdin = { contents: `module.exports = {${all}};`, resolveDir: ROOT };
  await build({ ...common, stdin, format: "cjs", outfile: join(folder, "common.cjs") });
  const require = createRequire(import.meta.url);
  for (const name of COMMON_JS) {
    const names = Object.keys(require(name)).join(", ");
    const lines = [
      'import common from "./common.cjs";',
      `const { ${names} } = common[${JSON.stringify(name)}];`,
      `export { ${names} };`,
    ];
    writeFileSync(join(folder, `${fileOf(name)}.mjs`), lines.join("\n"));
  }
  const urls = [...MODULES, ...COMMON_JS].map((name) => [
    name,
    pathToFileURL(join(FOLDER, `${fileOf(name)}.mjs`)).href,
  ]);
  writeFileSync(join(folder, "urls.json"), JSON.stringify(Object.fromEntries(urls)));
}

function fileOf(name: string): string {
  return name.replaceAll(/\W/g, "-");
}
