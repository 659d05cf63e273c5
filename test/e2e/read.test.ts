import assert from "node:assert/strict";
import { test } from "node:test";
import type { Exchange } from "../../src/sandbox/discord/types.ts";
import { reads } from "./read.ts";

test("a question whose words fit is no answer to the press on it: what is pending is waited for", async () => {
  const states = [
    { pending: true, text: "Unlink it? Its key is erased here." },
    { pending: false, text: "Unlinked. Its key is erased here." },
  ];
  const exchange = {
    kind: "update" as const,
    get text() {
      return states[0]?.text ?? "";
    },
    async settled(predicate: (state: Pick<Exchange, "pending" | "text">) => boolean) {
      for (let [state] = states; state !== undefined; [state] = states) {
        if (predicate(state)) return;
        states.shift();
      }
      throw new Error("nothing more comes");
    },
  };
  assert.match(await reads(exchange, /Its key is erased/), /^Unlinked/);
});
