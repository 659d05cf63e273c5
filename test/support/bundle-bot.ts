import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

/** What a process of the bot starts with, and each of its threads. */
const PROGRAMS = [
  "src/main.ts",
  "src/store/sqlite/sqlite-worker.ts",
  "src/history/worker/history-worker.ts",
  "src/history/pictures/drawing-worker.ts",
];
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Beside what others still run: a suite may go on while the code changes. */
const FOLDER = join(ROOT, "node_modules/.cache/bots");
const KEPT_MS = 86_400_000;

/** Each file of the bot knows where it stands, also as a part of another one. */
const places: Plugin = {
  name: "places",
  setup: (bundle) =>
    bundle.onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      loader: "ts",
      contents: readFileSync(path, "utf8").replaceAll(
        "import.meta.url",
        JSON.stringify(pathToFileURL(path).href),
      ),
    })),
};

/**
 * Writes the bot into a few files: to read its 700 one by one is half of what a start of it costs, and the suite has about
 * a hundred processes and threads of it. Answers the name under which `use-bundles.mjs` finds it.
 */
export async function bundleBot(): Promise<string> {
  const hash = createHash("sha1");
  for (const path of globSync("{src,commands}/**/*.ts", { cwd: ROOT }).sort())
    if (!path.startsWith("src/sandbox/")) hash.update(path).update(readFileSync(join(ROOT, path)));
  const name = hash.digest("hex").slice(0, 16);
  const folder = join(FOLDER, name);
  if (!existsSync(folder)) {
    const made = `${folder}.${process.pid}`;
    mkdirSync(made, { recursive: true });
    await writeBot(made, folder);
    for (const old of globSync(`${FOLDER}/*`))
      if (Date.now() - statSync(old).mtimeMs > KEPT_MS) rmSync(old, { recursive: true, force: true });
    // Another run may have been quicker.
    if (!existsSync(folder)) renameSync(made, folder);
  }
  return name;
}

async function writeBot(made: string, folder: string): Promise<void> {
  await build({
    ...{ bundle: true, splitting: true, format: "esm", platform: "node", target: "esnext" },
    ...{ packages: "external", logLevel: "error", plugins: [places] },
    ...{ absWorkingDir: ROOT, outdir: made, outbase: "src", outExtension: { ".js": ".mjs" } },
    entryPoints: PROGRAMS,
  });
  const urls = PROGRAMS.map((path) => [
    pathToFileURL(join(ROOT, path)).href,
    pathToFileURL(join(folder, path.replace(/^src\//, "").replace(/\.ts$/, ".mjs"))).href,
  ]);
  writeFileSync(join(made, "urls.json"), JSON.stringify(Object.fromEntries(urls)));
}
