// Loaded by every process and thread of the suite (NODE_OPTIONS), so plain JavaScript that loads nothing else:
// the packages that bundle-packages.ts has written into one file each are taken from there, and the bot that a process or
// thread starts with from where bundle-bot.ts has put it.
import { readFileSync } from "node:fs";
import * as modules from "node:module";

const bot = new URL(import.meta.url).searchParams.get("bot");
const urlsIn = (folder) =>
  Object.entries(
    JSON.parse(
      readFileSync(new URL(`../../node_modules/.cache/${folder}/urls.json`, import.meta.url), "utf8"),
    ),
  );
const urls = new Map([...urlsIn("bundles"), ...(bot === null ? [] : urlsIn(`bots/${bot}`))]);

// A Node that is too old is what some tests start.
modules.registerHooks?.({
  resolve(specifier, context, next) {
    const url = urls.get(specifier);
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
  },
});
