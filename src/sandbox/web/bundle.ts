import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export interface Asset {
  readonly type: string;
  readonly body: string | Uint8Array;
}

/** The page's own files by their path: made in memory at the start, so that nothing is left behind or can be stale. */
export async function bundlePage(): Promise<ReadonlyMap<string, Asset>> {
  const page = (name: string) => fileURLToPath(new URL(`page/${name}`, import.meta.url));
  const built = await build({
    entryPoints: [page("main.ts")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2023",
    minify: true,
    legalComments: "none",
    logLevel: "silent",
    tsconfig: page("tsconfig.json"),
  });
  const script = built.outputFiles[0];
  if (script === undefined) throw new Error("the page's script was not built");
  return new Map<string, Asset>([
    ["/", { type: "text/html; charset=utf-8", body: await readFile(page("index.html")) }],
    ["/page.js", { type: "text/javascript; charset=utf-8", body: script.contents }],
    ["/style.css", { type: "text/css; charset=utf-8", body: await readFile(page("style.css")) }],
    ["/icon.svg", { type: "image/svg+xml", body: await readFile(page("icon.svg")) }],
  ]);
}
