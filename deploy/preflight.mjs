// Runs before the bot (`node --import`), on whatever Node there is: plain JavaScript that a Node of years ago reads,
// because an old one would stop at the first .ts file with words that help nobody.
import { existsSync, readFileSync } from "node:fs";
import process from "node:process";

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const needed = Number(/\d+/.exec(engines.node)?.[0]);

if (Number.parseInt(process.versions.node, 10) < needed) {
  process.stderr.write(
    `Marshal needs Node ${needed} or newer and this is ${process.versions.node}: run \`npm ci\` without --omit=dev (it brings its own), or install Node ${needed}.\n`,
  );
  process.exit(1);
}

// What is set already wins over the file.
if (existsSync(".env")) process.loadEnvFile(".env");
