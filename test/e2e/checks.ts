import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { OpenApi } from "../support/openapi.ts";
import type { E2eRig } from "./rig.ts";

/** What must hold of everything that a rig's bot did, whatever it was: each file ends with these. */

/** Nothing that anyone can see holds a key that was used: messages and edits, files, log lines, /state, /metrics. */
export async function assertNoKeySeen(rig: E2eRig): Promise<void> {
  const files = rig.discord.guilds
    .flatMap(({ channels }) => channels.flatMap((channel) => rig.discord.messages(channel)))
    .flatMap(({ attachments }) => attachments.map(({ bytes }) => Buffer.from(bytes).toString()));
  const places = {
    log: rig.lines.join(""),
    discord: JSON.stringify(rig.discord.traffic),
    ops: `${await rig.ops("/state")}\n${await rig.ops("/metrics")}`,
  };
  // An empty place would be searched in vain.
  assert.ok(rig.keys.size > 0);
  for (const [place, text] of Object.entries(places))
    assert.ok(text.length > 100, `nothing was kept of: ${place}`);
  for (const [place, text] of Object.entries({ ...places, files: files.join("\n") }))
    for (const key of rig.keys)
      for (const form of formsOf(key)) assert.ok(!text.includes(form), `a key stands in: ${place}`);
}

/** As it is, within JSON, in an address, in base64. */
function formsOf(key: string): readonly string[] {
  const base64 = Buffer.from(key).toString("base64").replace(/=+$/, "");
  return [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key), base64];
}

/** Where DISCORD_OPENAPI names Discord's description: all that was sent and answered fits it. */
export function assertFitsDescription(rig: E2eRig, t: TestContext): void {
  const file = process.env.DISCORD_OPENAPI;
  if (file === undefined) {
    t.skip("DISCORD_OPENAPI does not name Discord's OpenAPI description");
    return;
  }
  const api = OpenApi.read(file);
  // What an outage cut, or answered in Discord's place, is not described.
  const exchanges = rig.discord.traffic.filter(({ status }) => status !== 0 && status < 500);
  const problems = new Set(exchanges.flatMap((exchanged) => api.check(exchanged)));
  assert.deepEqual([...problems].slice(0, 20), []);
}

/** No error was logged, and the service was sent nothing while it had said to wait. */
export function assertWellBehaved(rig: E2eRig): void {
  assert.deepEqual(
    rig.lines.filter((line) => /"level":(50|60)\b/.test(line)),
    [],
  );
  assert.equal(rig.service.counts.avoidable, 0);
}
