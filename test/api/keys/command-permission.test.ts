import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ownerPage } from "../../../src/api/keys/owner-page.ts";
import type { Failure } from "../../../src/domain/failure.ts";
import type { ServerKey } from "../../../src/domain/server-key.ts";
import { ServerKey as Key } from "../../../src/domain/server-key.ts";
import { COMMAND_CHECKS } from "../../../src/sandbox/service/command-route.ts";
import type { ServiceOptions } from "../../../src/sandbox/service/service.ts";
import { isFailure } from "../../support/failures.ts";
import { World, within } from "../../support/limit-run.ts";

const MINUTE_MS = 60_000;
const GUILD = "guild";

/** One server with players whose owner has allowed nothing yet. */
async function refusing(service: Partial<ServiceOptions> = {}): Promise<World> {
  const town = { intensity: 0, initialPlayers: 6 };
  const world = new World({ seed: 3, keys: 1, service: { commands: "refused", town, ...service } });
  await world.clock.advance(5_000);
  await within(world, world.client.read(world.source(0), [], { priority: "person" }));
  return world;
}

function runs(world: World, text: string) {
  return within(world, world.client.command(world.source(0), text));
}

function checks(world: World) {
  return within(world, world.client.check(world.source(0), GUILD));
}

function allow(world: World, allowed = true): void {
  world.service.keyBook.setCommandsAllowed(world.key(0), allowed);
}

const refused = isFailure("not-authorised", "no");

describe("the owner's permission to run commands", () => {
  test("after a 4000 commands are answered from memory for 30 minutes, over a restart; reads go on", async () => {
    const world = await refusing();
    await assert.rejects(runs(world, ":h one"), refused);
    const known = world.client.commandPermission(world.source(0));
    assert.ok(known.kind === "refused");
    assert.match(known.why, /allowlist your IP address/);
    await world.restart();
    await assert.rejects(runs(world, ":h one"), (error: Failure) => {
      assert.match(
        error.message,
        /does not let Marshal run commands\. The game service was not asked again\.$/,
      );
      assert.equal(error.knownSinceMs, known.sinceMs);
      return true;
    });
    for (let minute = 1; minute < 29; minute++) {
      await assert.rejects(runs(world, ":h one"), refused);
      await within(world, world.client.read(world.source(0), [], { priority: "person" }));
      await world.clock.advance(MINUTE_MS);
    }
    assert.equal(world.service.counts.commands, 1);
    allow(world);
    await world.clock.advance(3 * MINUTE_MS);
    await runs(world, ":h one");
    assert.equal(world.client.commandPermission(world.source(0)).kind, "allowed");
    await world.close();
  });

  test("a bare 403 on a command means the same", async () => {
    const world = await refusing({ strictSpec: true });
    await assert.rejects(runs(world, ":h one"), refused);
    await assert.rejects(runs(world, ":h two"), refused);
    assert.equal(world.service.counts.commands, 1);
    assert.equal(world.client.parked(world.source(0)), undefined);
    await world.close();
  });

  test("a check asks by an empty command, once in 30 s and 6 times an hour", async () => {
    const world = await refusing();
    assert.deepEqual(await checks(world), { kind: "refused", left: 5 });
    assert.equal((await checks(world)).kind, "too-soon");
    for (let more = 1; more < 6; more++) {
      await world.clock.advance(30_000);
      assert.deepEqual(await checks(world), { kind: "refused", left: 5 - more });
    }
    await world.clock.advance(30_000);
    assert.equal((await checks(world)).kind, "too-soon");
    assert.equal(world.service.counts.commands, 6);
    await world.clock.advance(60 * MINUTE_MS);
    allow(world);
    assert.deepEqual(await checks(world), { kind: "allowed" });
    await runs(world, ":h one");
    assert.deepEqual(
      world.service.counts.executions.map(({ text }) => text),
      [":h one"],
    );
    await world.close();
  });

  const orders = COMMAND_CHECKS.flatMap((first) =>
    COMMAND_CHECKS.filter((one) => one !== first).map((second) => [
      first,
      second,
      ...COMMAND_CHECKS.filter((one) => one !== first && one !== second),
    ]),
  );
  for (const commandChecks of orders)
    test(`never says allowed while it is not, and ends the memory when it may be: ${commandChecks}`, async () => {
      for (const initialPlayers of [0, 6]) {
        const town = { intensity: 0, initialPlayers };
        const world = await refusing({ commandChecks, town });
        await assert.rejects(runs(world, ":h one"));
        await world.clock.advance(MINUTE_MS);
        const before = await checks(world);
        assert.notEqual(before.kind, "allowed");
        const [first] = commandChecks.filter((check) => check !== "players" || initialPlayers === 0);
        const kinds = { permission: "refused", body: "unclear", players: "empty" } as const;
        assert.equal(before.kind, kinds[first ?? "body"]);
        allow(world);
        world.service.town(world.key(0)).join("Riley");
        await world.clock.advance(MINUTE_MS);
        const after = await checks(world);
        assert.equal(after.kind, before.kind === "refused" ? "allowed" : "unclear");
        await runs(world, ":h two");
        assert.equal(world.client.commandPermission(world.source(0)).kind, "allowed");
        await world.close();
      }
    });

  test("a server that is unlinked is forgotten", async () => {
    const world = await refusing();
    await assert.rejects(runs(world, ":h one"), refused);
    world.client.forget(world.source(0));
    assert.equal(world.client.commandPermission(world.source(0)).kind, "unknown");
    await world.close();
  });
});

test("the owner's page has the public part of the key and nothing of the secret one", () => {
  const at = { serviceUrl: "https://api.erlc.gg", addresses: ["203.0.113.7"] };
  const pageOf = (key: ServerKey, appId?: string) => ownerPage(key, { ...at, appId });
  const url = "https://api.erlc.gg/server-owners";
  assert.deepEqual(pageOf(new Key("sEcReT-PuBlIc"), "118"), {
    kind: "authorise",
    url: `${url}/server/PuBlIc/authorize/118`,
  });
  const addresses = { kind: "addresses", url, addresses: ["203.0.113.7"] };
  assert.deepEqual(pageOf(new Key("sEcReT-PuBlIc")), addresses);
  // Which part of another shape is the public one, nobody knows.
  for (const odd of ["secret", "a-b-c", "-b", "se_cret-b"])
    assert.deepEqual(pageOf(new Key(odd), "118"), addresses);
});
