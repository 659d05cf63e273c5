import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CancelToken } from "../../../src/api/http/cancel-token.ts";
import { permittedTransport } from "../../../src/api/http/permitted-transport.ts";
import type { Transport, WireRequest } from "../../../src/api/http/transport.ts";
import { Failure } from "../../../src/domain/failure.ts";

/** A transport that writes when the test says so. */
function rig() {
  let why: string | undefined;
  const written: string[] = [];
  let write = () => {};
  const send: Transport = (request, cancel) =>
    new Promise((resolve, reject) => {
      write = () => {
        request.onStart();
        if (cancel.isCalled) return reject(cancel.reason);
        written.push(request.path);
        resolve({ status: 200, headers: {}, body: "{}" });
      };
    });
  const started: string[] = [];
  const request: WireRequest = {
    method: "GET",
    path: "/v1/server",
    headers: {},
    onStart: () => void started.push("started"),
  };
  const carried = permittedTransport(send, { refusal: () => why });
  const revoke = (reason: string) => {
    why = reason;
  };
  return { carry: () => carried(request, new CancelToken()), write: () => write(), revoke, written, started };
}

const paused = (error: unknown) => error instanceof Failure && error.code === "paused" && error.ran === "no";

describe("a request of a process that may lose its right to ask", () => {
  test("is written while it has it", async () => {
    const { carry, write, written, started } = rig();
    const answer = carry();
    write();
    assert.equal((await answer).status, 200);
    assert.deepEqual([written, started], [["/v1/server"], ["started"]]);
  });

  test("is not even begun without it", async () => {
    const { carry, revoke, written } = rig();
    revoke("over");
    await assert.rejects(carry(), paused);
    assert.deepEqual(written, []);
  });

  test("is not written when the right was lost between its turn and its first byte", async () => {
    const { carry, write, revoke, written, started } = rig();
    const answer = carry();
    revoke("over");
    write();
    await assert.rejects(answer, paused);
    assert.deepEqual([written, started], [[], []]);
  });
});
