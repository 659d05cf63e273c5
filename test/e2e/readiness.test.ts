import assert from "node:assert/strict";
import { unlinkSync } from "node:fs";
import { test } from "node:test";
import { textOf } from "./read.ts";
import { E2eRig } from "./rig.ts";

test("a store that was deleted: /readyz is red with the reason, it is logged and counted once, and guilds are told", async () => {
  const rig = await E2eRig.start();
  try {
    assert.match(await rig.ops("/readyz"), /^ready\n(the history is being opened\n)?$/);
    await rig.link();
    // Until its database is open, /readyz says so beside being ready.
    await rig.until("the history being recorded", () =>
      rig.lines.some((line) => line.includes("the history is recorded")),
    );
    assert.equal(await rig.ops("/readyz"), "ready\n");
    unlinkSync(rig.storePath);
    const told = await rig.until("the guild being told", () =>
      rig.home.owner.dms().find((message) => textOf(message).includes("can't write to its database")),
    );
    assert.match(textOf(told), /Logs and commands are paused/);
    assert.match(await rig.ops("/readyz"), /^the store cannot be written: .*deleted or replaced/);
    assert.match(await rig.ops("/metrics"), /marshal_not_ready_total\{reason="store"\} 1/);
    assert.match(await rig.ops("/metrics"), /^marshal_ready 0$/m);
    assert.equal(rig.lines.filter((line) => line.includes("the store cannot be written")).length, 1);
  } finally {
    await rig.close();
  }
});
