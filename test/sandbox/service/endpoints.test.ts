import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { COMMAND_CHECKS } from "../../../src/sandbox/service/command-route.ts";
import { OPTIONAL_LISTS } from "../../../src/sandbox/service/status.ts";
import { ALL_LISTS, bodyOf, KEY, makeRig, rowsOf } from "../../support/service-rig.ts";

const BASE = [
  "Name",
  "OwnerId",
  "CoOwnerIds",
  "CurrentPlayers",
  "MaxPlayers",
  "JoinKey",
  "AccVerifiedReq",
  "TeamBalance",
];

for (const strictSpec of [true, false]) {
  const mode = strictSpec ? "strict" : "facts";

  describe(`spec, Endpoints: the two GETs (${mode})`, () => {
    const { get, clock } = makeRig({ strictSpec, town: { intensity: "busy" } });
    clock.ms += 600_000;

    test("v1 gives the base fields only, whatever parameters are sent", () => {
      assert.deepEqual(Object.keys(bodyOf(get("/v1/server?Players=true&Staff=true"))), BASE);
    });

    test("v2 without parameters gives the base fields, the same as v1", () => {
      assert.deepEqual(bodyOf(get("/v2/server")), bodyOf(get("/v1/server")));
    });

    for (const name of OPTIONAL_LISTS)
      test(`v2 includes ${name} exactly when ${name}=true`, () => {
        assert.deepEqual(Object.keys(bodyOf(get(`/v2/server?${name}=true`))), [...BASE, name]);
        for (const other of [`${name}=false`, `${name}=`, `${name}=1`, `${name.toLowerCase()}=true`])
          assert.deepEqual(Object.keys(bodyOf(get(`/v2/server?${other}`))), BASE, other);
      });

    test("v2 gives all nine at once", () => {
      assert.deepEqual(Object.keys(bodyOf(get(ALL_LISTS))), [...BASE, ...OPTIONAL_LISTS]);
    });

    test("answers are JSON", () => {
      assert.match(get("/v2/server").headers["content-type"] ?? "", /^application\/json/);
    });
  });

  describe(`spec, Endpoints: POST /v2/server/command (${mode})`, () => {
    test("200 with a message when the command was executed", () => {
      const answer = makeRig({ strictSpec }).command(":h hello");
      assert.equal(answer.status, 200);
      assert.deepEqual(Object.keys(bodyOf(answer)), ["message"]);
      assert.equal(typeof bodyOf(answer).message, "string");
    });

    test("400 with a message that says the command is missing from the body", () => {
      const { post, service } = makeRig({ strictSpec });
      for (const body of [
        "{}",
        '{"command":""}',
        '{"command":7}',
        "[]",
        "null",
        "",
        "{",
        '{"Command":":h x"}',
      ]) {
        const answer = post(body);
        assert.equal(answer.status, 400, body);
        assert.match(String(bodyOf(answer).message), /command is missing from the body/);
      }
      assert.equal(service.counts.executions.length, 0);
    });

    test("400 when the body is not declared as JSON", () => {
      const { post } = makeRig({ strictSpec });
      assert.equal(post('{"command":":h x"}', "text/plain").status, 400);
      assert.equal(post('{"command":":h x"}', "application/json; charset=utf-8").status, 200);
    });

    test("422 with a message that says offline and a commandId when nobody is in the server", () => {
      const { service, command } = makeRig({ strictSpec });
      service.town(KEY).empty();
      const answer = command(":h hello");
      assert.equal(answer.status, 422);
      assert.match(String(bodyOf(answer).message), /offline/);
      assert.match(String(bodyOf(answer).commandId), /^[0-9a-f-]{36}$/);
      assert.equal(service.counts.executions.length, 0);
    });

    test("500 with a message and a commandId when the game platform cannot be reached; it may have run or not", () => {
      const { service, command } = makeRig({ strictSpec });
      for (const ran of [0, 1]) {
        service.faults.set({ command500: 1, command500Executed: ran });
        const answer = command(`:h run ${ran}`);
        assert.equal(answer.status, 500);
        assert.deepEqual(
          Object.keys(bodyOf(answer)).filter((name) => name !== "code"),
          ["message", "commandId"],
        );
        assert.equal(service.counts.executionsByText.get(`:h run ${ran}`) ?? 0, ran);
      }
    });

    test("each commandId is unique", () => {
      const { service, command } = makeRig({ strictSpec });
      service.town(KEY).empty();
      const ids = Array.from({ length: 200 }, () => bodyOf(command(":h x")).commandId);
      assert.equal(new Set(ids).size, ids.length);
    });

    test("runs as virtual server management and stands in the command log with its exact text", () => {
      const { service, get, command } = makeRig({ strictSpec, town: { intensity: 0 } });
      command("  :h  Two  spaces, ünïcode ");
      const [row] = rowsOf(bodyOf(get("/v2/server?CommandLogs=true")), "CommandLogs");
      assert.equal(row?.Command, "  :h  Two  spaces, ünïcode ");
      assert.deepEqual(
        service.town(KEY).record.commands.map(({ remote }) => remote),
        [true],
      );
    });
  });

  describe(`spec, Versioning (${mode})`, () => {
    test("unknown routes and methods, a command route of v1 among them, are 404", () => {
      const { get, service } = makeRig({ strictSpec });
      for (const path of [
        "/",
        "/server",
        "/v3/server",
        "/v1/server/command",
        "/v1/server/players",
        "/v2/server/",
        "/v2",
      ])
        assert.equal(get(path).status, 404, path);
      assert.equal(get("/v1/server/command", { method: "POST" }).status, 404);
      assert.equal(get("/v2/server", { method: "DELETE" }).status, 404);
      assert.equal(get("/v2/server/command").status, 404);
      assert.equal(service.counts.executions.length, 0);
    });
  });
}

describe("what the public service adds on commands (facts)", () => {
  test("an unknown verb is 400 with code 3001, and so is one without its arguments", () => {
    const { command } = makeRig();
    for (const text of ["hello", ":frobnicate x", ":kick", ":pm Someone", ":prty soon"]) {
      const answer = command(text);
      assert.deepEqual([answer.status, bodyOf(answer).code], [400, 3001], text);
    }
  });

  test("a verb that needs a body in the game is 403 with code 4002, a prohibited message 4003; neither is logged", () => {
    const { command, service } = makeRig({
      town: { intensity: 0, rules: { prohibitedWords: ["verboten"] } },
    });
    assert.equal(bodyOf(command(":view someone")).code, 4002);
    assert.equal(bodyOf(command(":m this is VERBOTEN")).code, 4003);
    assert.equal(service.town(KEY).record.commands.length, 0);
  });

  test("4000 on commands of a server whose owner did not authorise the caller, while reads still work", () => {
    const { service, get, command } = makeRig();
    service.keyBook.setCommandsAllowed(KEY, false);
    const answer = command(":h x");
    assert.deepEqual([answer.status, bodyOf(answer).code], [403, 4000]);
    assert.equal(get().status, 200);
    service.keyBook.setCommandsAllowed(KEY, true);
    assert.equal(command(":h x").status, 200);
  });

  test("--commands refused: the public sentence, a bare 403 in the specification; the owner ends it", () => {
    const { service, command } = makeRig({ commands: "refused" });
    const { code, message } = bodyOf(command(":h x"));
    assert.equal(code, 4000);
    assert.match(String(message), /^You are not authorized .*server-owners to allowlist your IP address\.$/);
    service.keyBook.setCommandsAllowed(KEY, true);
    assert.equal(command(":h x").status, 200);
    const bare = makeRig({ commands: "refused", strictSpec: true }).command(":h x");
    assert.deepEqual([bare.status, bodyOf(bare)], [403, { message: "Unauthorized" }]);
  });

  test("every order of its checks: the first that fails gives the answer", () => {
    const codes = { permission: 4000, body: 3001, players: 3002 } as const;
    const [a, b, c] = COMMAND_CHECKS;
    for (const commandChecks of [
      [a, b, c],
      [a, c, b],
      [b, a, c],
      [b, c, a],
      [c, a, b],
      [c, b, a],
    ]) {
      const town = { intensity: 0, initialPlayers: 0 };
      const { service, command, post } = makeRig({ commands: "refused", commandChecks, town });
      const answered = bodyOf(post("{}")).code;
      const [first] = commandChecks;
      assert.equal(answered, codes[first ?? "body"], commandChecks.join());
      const withBody = commandChecks.find((check) => check !== "body");
      assert.equal(bodyOf(command(":h x")).code, codes[withBody ?? "body"], commandChecks.join());
      assert.equal(service.counts.executions.length, 0);
    }
  });

  test("a success says no more than Success", () => {
    assert.deepEqual(bodyOf(makeRig().command(":h hello")), { message: "Success" });
  });
});
