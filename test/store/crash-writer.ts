import { openStore } from "../../src/store/open-store.ts";

/**
 * A process that writes until it is killed. Each number is printed once the store has acknowledged it, in both
 * durabilities; what the parent has read must be there afterwards.
 */
const [url] = process.argv.slice(2);
if (url === undefined) throw new Error("a store's address is needed");
const store = await openStore(url, { waitMs: 0 });
const full = store.documents("full", (value) => value, "full");
const normal = store.documents("normal", (value) => value, "normal");
for (let n = 0; ; n++) {
  await normal.set(`n${n}`, { n, pad: "x".repeat(n % 3_000) });
  await full.set(`n${n}`, { n });
  await full.set("last", { n });
  process.stdout.write(`${n}\n`);
}
