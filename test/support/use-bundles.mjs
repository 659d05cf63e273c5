// Loaded by every process and thread of the suite (NODE_OPTIONS), so plain JavaScript that loads nothing else:
// the packages that bundle-packages.ts has written into one file each are taken from there.
import { readFileSync } from "node:fs";
import * as modules from "node:module";

const urls = new Map(
  Object.entries(
    JSON.parse(readFileSync(new URL("../../node_modules/.cache/bundles/urls.json", import.meta.url), "utf8")),
  ),
);

// A Node that is too old is what some tests start.
modules.registerHooks?.({
  resolve(specifier, context, next) {
    const url = urls.get(specifier);
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
  },
});
