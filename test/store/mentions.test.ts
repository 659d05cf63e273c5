import assert from "node:assert/strict";
import { test } from "node:test";
import { createMentions, parseAllowedMention } from "../../src/store/mentions.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";

test("only who allowed it is mentioned, in that community alone, over restarts, and until they forbid it", async () => {
  const texts = new Map<string, string>();
  const open = () => createMentions(new MemoryDocuments(parseAllowedMention, texts));
  await open().allow("g1", "ada");
  await open().allow("g1", "bo");
  assert.deepEqual(await open().whoAllowed("g1", ["bo", "cy", "ada"], 25), ["bo", "ada"]);
  assert.deepEqual(await open().whoAllowed("g1", ["bo", "cy", "ada"], 1), ["bo"]);
  assert.deepEqual(await open().whoAllowed("g2", ["bo", "cy", "ada"], 25), []);
  await open().forbid("g1", "bo");
  await open().forbid("g1", "cy");
  assert.deepEqual(await open().whoAllowed("g1", ["bo", "cy", "ada"], 25), ["ada"]);
  assert.equal(await open().isAllowed("g1", "bo"), false);
});
