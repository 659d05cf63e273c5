import { join } from "node:path";
import process from "node:process";
import { filledIn } from "./host.ts";
import type { Walk } from "./walk.ts";

/** Of Debian 12 and Ubuntu 24.04: the oldest that the documentation names. */
const NODE = `node-${process.platform}-${process.arch}@18.19.0`;
const NPM = "npm@9.2.0";

/** Whether the Node and the npm of older systems install it, and leave the Node that it runs on. */
export async function walkOldNpm({ host, documented, words, note }: Walk): Promise<void> {
  const old = join(host.folder, "old");
  host.run(
    `mkdir ${old} && npm install --prefix ${old} --ignore-scripts --no-audit --no-fund ${NODE} ${NPM}`,
  );
  const modules = join(old, "node_modules");
  const node = join(modules, NODE.split("@")[0] ?? "", "bin");
  host.run(filledIn("git clone -q ADDRESS installed-by-old", words));
  const folder = join(host.folder, "installed-by-old");
  const path = `PATH=${node}:/usr/bin:/bin`;
  const npm = `${path} node ${join(modules, "npm/bin/npm-cli.js")}`;
  note("it is an old one", host.run(`${path} node --version`) === "v18.19.0\n");
  host.run(documented.take("npm ci").replace("npm", npm), folder);
  const started = host.run(`${documented.take("npm start").replace("npm", npm)} 2>&1 || true`, folder);
  note(
    "npm ci of Debian 12 leaves the Node that Marshal runs on",
    started.includes("DISCORD_TOKEN: nothing was set"),
  );
}
