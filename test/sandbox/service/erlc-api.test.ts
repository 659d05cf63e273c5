import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ErlcClient, ErlcError } from "erlc-api";
import { serve } from "../../../src/sandbox/service/http.ts";
import { Service } from "../../../src/sandbox/service/service.ts";
import { KEY } from "../../support/service-rig.ts";

// A client that is not ours: what it can read of the emulator was not bent to fit our own reading.
for (const strictSpec of [true, false]) {
  describe(`npm's erlc-api against the service (${strictSpec ? "strict" : "facts"})`, () => {
    const limits = { global: { limit: 1_000, windowMs: 1_000 }, command: { limit: 1, windowMs: 600_000 } };
    const service = new Service({
      nowMs: () => Date.now(),
      keys: [KEY],
      globalKeys: ["app"],
      strictSpec,
      limits,
      town: { intensity: 0 },
    });
    let client: ErlcClient;
    let baseUrl = "";
    let close: () => Promise<void>;

    before(async () => {
      const town = service.town(KEY);
      const [ann, bob] = [town.join("Ann", 1), town.join("Bob", 2)];
      town.kill(ann, bob);
      town.modCall(ann);
      town.answerModCall();
      town.emergencyCall(bob);
      ({ url: baseUrl, close } = await serve(service));
      client = new ErlcClient({ serverKey: KEY, baseUrl });
    });
    after(() => close());

    test("reads all of v2 in one request", async () => {
      const server = await client.server.get({
        include: [
          "players",
          "staff",
          "joinLogs",
          "queue",
          "killLogs",
          "commandLogs",
          "modCalls",
          "emergencyCalls",
          "vehicles",
        ],
      });
      assert.equal(server.CurrentPlayers, server.Players.length);
      assert.equal(server.KillLogs[0]?.Killed, "Bob:2");
      assert.equal(server.ModCalls[0]?.Caller, "Ann:1");
      assert.equal(server.EmergencyCalls[0]?.Caller, 2);
      assert.ok(server.JoinLogs.some((entry) => entry.Player === "Ann:1" && entry.Join));
      assert.ok(server.Vehicles.length > 0 && Object.keys(server.Staff.Mods).length > 0);
      assert.deepEqual(server.Queue, []);
      assert.deepEqual(server.CommandLogs, []);
    });

    test("reads each list by itself", async () => {
      assert.ok((await client.server.players()).some((player) => player.Player === "Ann:1"));
      assert.equal((await client.server.moderatorCalls()).length, 1);
    });

    test("knows the limits of the service by its headers", async () => {
      await client.server.get();
      const [general] = Object.values(client.getRateLimits());
      assert.equal(general?.limit, 1_000);
      assert.ok(Number(general?.resetAt) > Date.now() - 2_000);
    });

    test("runs a command, once, and is told to wait for the next", async () => {
      const result = await client.commands.execute(":h hello from elsewhere");
      assert.equal(typeof result.message, "string");
      assert.equal(service.counts.executionsByText.get(":h hello from elsewhere"), 1);
      const impatient = new ErlcClient({ serverKey: KEY, baseUrl });
      await assert.rejects(
        impatient.commands.execute(":h again"),
        (error) =>
          error instanceof ErlcError &&
          error.kind === "rate_limit" &&
          Number(error.rateLimit?.retryAfterMs) > 500_000,
      );
    });

    test("sends a global key as the service expects it", async () => {
      const application = new ErlcClient({ serverKey: KEY, baseUrl, globalToken: "app" });
      assert.equal((await application.server.get()).Name, "River City Roleplay");
    });

    test("tells a wrong key from a working one", async () => {
      const stranger = new ErlcClient({ serverKey: "Wrong-Key", baseUrl, maxRetries: 0 });
      await assert.rejects(
        stranger.server.get(),
        (error) => error instanceof ErlcError && error.status === 403,
      );
    });
  });
}
