import assert from "node:assert/strict";
import { test } from "node:test";
import { createDiskWait, parseDiskMark } from "../../src/store/on-disk.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";

test("each wait for the disk writes something new, since sqlite skips a write that changes nothing, and then asks the store", async () => {
  const texts = new Map<string, string>();
  const flushed: (string | undefined)[] = [];
  const onDisk = createDiskWait(
    {
      flush: async () => {
        flushed.push(texts.get("last"));
        return true;
      },
    },
    new MemoryDocuments(parseDiskMark, texts),
    { nowMs: () => 5 },
  );
  await onDisk();
  await onDisk();
  assert.equal(flushed.length, 2);
  assert.ok(flushed.every((text) => text !== undefined));
  assert.notEqual(flushed[0], flushed[1]);
});
