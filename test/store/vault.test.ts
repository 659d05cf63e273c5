import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ServerKey } from "../../src/domain/server-key.ts";
import { createVault } from "../../src/store/vault.ts";
import { anyText } from "../support/any-text.ts";

const secret = (fill: number) => new Uint8Array(32).fill(fill);
const vault = createVault({ secret: secret(1) });
const key = new ServerKey("first-part-second-part");
const place = "binding/100/b1";

test("a sealed key opens at its place and nowhere else: another guild, another binding", () => {
  const sealed = vault.seal(key, place);
  assert.equal(vault.open(sealed, place).reveal(), key.reveal());
  for (const other of ["binding/101/b1", "binding/100/b2", ""])
    assert.throws(() => vault.open(sealed, other));
});

test("any key comes back as it was, and its seal does not show it", () => {
  fc.assert(
    fc.property(anyText({ maxLength: 200 }), (text) => {
      const sealed = vault.seal(new ServerKey(text), place);
      assert.equal(vault.open(sealed, place).reveal(), text);
      if (text.length >= 4) assert.ok(!sealed.includes(text));
    }),
    { numRuns: 200 },
  );
});

test("the same key sealed twice gives two texts: nobody can tell equal keys from the file", () => {
  assert.notEqual(vault.seal(key, place), vault.seal(key, place));
});

test("each single changed byte of a seal is noticed", () => {
  const [version, body = ""] = vault.seal(key, place).split(".");
  const bytes = Buffer.from(body, "base64url");
  for (const index of bytes.keys()) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
    assert.throws(() => vault.open(`${version}.${changed.toString("base64url")}`, place), `byte ${index}`);
  }
});

test("a seal that was cut, of another version, or no seal at all is refused", () => {
  const sealed = vault.seal(key, place);
  for (const bad of [sealed.slice(0, 20), sealed.slice(0, -4), sealed.replace("v1.", "v2."), "", "v1", "v1."])
    assert.throws(() => vault.open(bad, place), bad);
});

test("with another secret nothing opens, and the error does not show the key", () => {
  const sealed = vault.seal(key, place);
  assert.throws(
    () => createVault({ secret: secret(2) }).open(sealed, place),
    (error: unknown) => error instanceof Error && !String(error.stack).includes(key.reveal()),
  );
});

test("a source is the same for the same key under one secret, another under another, and is not the key", () => {
  assert.equal(vault.sourceOf(key), createVault({ secret: secret(1) }).sourceOf(new ServerKey(key.reveal())));
  assert.notEqual(vault.sourceOf(key), vault.sourceOf(new ServerKey("another")));
  assert.notEqual(vault.sourceOf(key), createVault({ secret: secret(2) }).sourceOf(key));
  assert.match(vault.sourceOf(key), /^[0-9a-f]{64}$/);
});

test("what is derived for one purpose says nothing of another", () => {
  assert.deepEqual(vault.derive("nonce"), createVault({ secret: secret(1) }).derive("nonce"));
  assert.notDeepEqual(vault.derive("nonce"), vault.derive("seal"));
  assert.equal(vault.derive("nonce").length, 32);
});

test("a secret of the wrong length is no secret", () => {
  assert.throws(() => createVault({ secret: new Uint8Array(16) }), /16 bytes, not 32/);
});
