import assert from "node:assert/strict";
import { test } from "node:test";
import { modCallCardId } from "../../../src/feeds/cards/card-identity.ts";

test("a call's card keeps the id that earlier releases gave it: it stands in channels and in the store", () => {
  const place = { guildId: "g1", bindingId: "b1" };
  const idOf = (caller: { readonly name: string; readonly id?: number }) =>
    modCallCardId("key", place, { call: { kind: "modCall", atS: 1_790_000_000, caller }, ordinal: 1 });
  assert.equal(idOf({ name: "Ann", id: 7 }), "cf29d6bd37ec5e30");
  assert.equal(idOf({ name: "Bo 🚓" }), "8f7184e63c921e76");
});
