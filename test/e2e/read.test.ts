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
    kind: "update",
    get text() {
      return states[0]?.text ?? "";
    },
    async settled(predicate: (exchange: Exchange) => boolean) {
      while (!predicate(states[0] as unknown as Exchange))
        if (states.shift() === undefined) throw new Error();
    },
  };
  assert.match(await reads(exchange as unknown as Exchange, /Its key is erased/), /^Unlinked/);
});
