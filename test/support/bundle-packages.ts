import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { bundleBot } from "./bundle-bot.ts";

/** Packages of hundreds of files, which each of about a hundred processes and threads of the suite would open one by one. */
const MODULES = ["kysely", "kysely/migration", "zod"];
/** Those of one file share classes (`instanceof`). */
const COMMON_JS = {
  discord: ["discord.js", "@discordjs/rest"],
  undici: ["undici"],
  redis: ["@redis/client"],
  pino: ["pino", "pino-pretty"],
  metrics: ["prom-client"],
};
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
  const madeOf = JSON.stringify([MODULES, COMMON_JS, lock]);
  const mark = join(FOLDER, "made-of.json");
  if (!existsSync(mark) || readFileSync(mark, "utf8") !== madeOf) {
    const made = `${FOLDER}.${process.pid}`;
    await writeBundles(made);
    writeFileSync(join(made, "made-of.json"), madeOf);
    rmSync(FOLDER, { recursive: true, force: true });
    renameSync(made, FOLDER);
  }
  return `--import=${HOOK.href}?bot=${await bundleBot()}`;
}

async function writeBundles(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const common = { bundle: true, platform: "node", logLevel: "error", external: ABSENT } as const;
  const entryPoints = Object.fromEntries(
    MODULES.map((name) => [fileOf(name), fileURLToPath(import.meta.resolve(name))]),
  );
  const outExtension = { ".js": ".mjs" };
  await build({ ...common, entryPoints, format: "esm", splitting: true, outdir: folder, outExtension });

  const require = createRequire(import.meta.url);
  for (const [file, packages] of Object.entries(COMMON_JS)) {
    const all = packages.map((name) => `${JSON.stringify(name)}: require(${JSON.stringify(name)})`).join();
    const stdin = { contents: `module.exports = {${all}};`, resolveDir: ROOT };
    await build({ ...common, stdin, format: "cjs", outfile: join(folder, `${file}.cjs`) });
    for (const name of packages) {
      const names = Object.keys(require(name)).filter((one) => one !== "default");
      const lines = [
        `import bundle from "./${file}.cjs";`,
        `const whole = bundle[${JSON.stringify(name)}];`,
        `export default whole;`,
        `export const { ${names.join(", ")} } = whole;`,
      ];
      writeFileSync(join(folder, `${fileOf(name)}.mjs`), lines.join("\n"));
    }
  }
  const urls = [...MODULES, ...Object.values(COMMON_JS).flat()].map((name) => [
    name,
    pathToFileURL(join(FOLDER, `${fileOf(name)}.mjs`)).href,
  ]);
  writeFileSync(join(folder, "urls.json"), JSON.stringify(Object.fromEntries(urls)));
}

function fileOf(name: string): string {
  return name.replaceAll(/\W/g, "-");
}
