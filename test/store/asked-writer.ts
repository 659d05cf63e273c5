import { createInterface } from "node:readline";
import { openStore } from "../../src/store/open-store.ts";

/** A process that writes and reads what its parent asks for, a line each, and answers each with a line. */
const [url] = process.argv.slice(2);
if (url === undefined) throw new Error("a store's address is needed");
const store = await openStore(url, { waitMs: 0 });
const documents = {
  full: store.documents("full", Number, "full"),
  normal: store.documents("normal", Number, "normal"),
};
const isKind = (kind: string | undefined): kind is keyof typeof documents =>
  kind === "full" || kind === "normal";

for await (const line of createInterface({ input: process.stdin })) {
  const [what, kind, key = ""] = line.split(" ");
  if (!isKind(kind)) throw new Error(`nobody asks for ${line}`);
  try {
    const answer = what === "write" ? await documents[kind].set(key, 1) : await documents[kind].get(key);
    process.stdout.write(`${answer ?? "nothing"}\n`);
  } catch (error) {
    process.stdout.write(`refused: ${error instanceof Error ? error.message : error}\n`);
  }
}
