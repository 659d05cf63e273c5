import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../src/domain/failure.ts";
import type { CommandOptions } from "../../src/domain/ports/service-client.ts";
import { inRequest } from "../../src/domain/request-scope.ts";
import { World, within } from "../support/limit-run.ts";

const ASKED = "asked the game service for a person";
const NOT_ASKED = "did not ask the game service for a person: nothing was sent";

describe("the log of what people asked for", () => {
  async function started(): Promise<World> {
    const world = new World({ seed: 1, keys: 1 });
    world.service.town(world.key(0)).join("Ann", 1);
    await world.clock.advance(5_000);
    return world;
  }
  const command = (world: World, options?: CommandOptions) =>
    inRequest("a7f3", () => world.client.command(world.source(0), ":h x", options));
  const noted = (world: World) =>
    world.noted.map(({ message, fields }) => [message, "outcome" in fields ? fields.outcome : undefined]);

  test("names a request that was made, also where no answer came or its answer was a stop", async () => {
    const world = await started();
    await within(world, command(world));
    world.service.faults.next({ only: "commands", silent: 1 });
    await assert.rejects(within(world, command(world)), { ran: "unknown" });
    assert.deepEqual(noted(world), [
      [ASKED, "ok"],
      [ASKED, "unreachable"],
    ]);
    await world.close();
  });

  test("does not name one that never left: withdrawn while it waited, at its first byte, or not written", async () => {
    const world = await started();
    const abort = new AbortController();
    await within(world, command(world));
    world.noted.length = 0;
    const waiting = command(world, { signal: abort.signal });
    abort.abort(new Failure("expired", "it waited too long"));
    await assert.rejects(waiting, { code: "expired" });
    await assert.rejects(within(world, command(world, { mayStart: () => false })), { code: "expired" });
    world.isUnwritable = true;
    await assert.rejects(within(world, command(world)), { code: "unreachable", ran: "no" });
    assert.deepEqual(noted(world), [
      [NOT_ASKED, "expired"],
      [NOT_ASKED, "expired"],
      [NOT_ASKED, "unreachable"],
    ]);
    await world.close();
  });

  test("of what nobody asked for says nothing", async () => {
    const world = await started();
    await within(world, world.client.command(world.source(0), ":h x"));
    assert.deepEqual(noted(world), []);
    await world.close();
  });
});
