import assert from "node:assert/strict";
import { test } from "node:test";
import { OpenApi } from "./openapi.ts";

const document = {
  paths: {
    "/things/{id}": {
      get: {
        parameters: [{ name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 10 } }],
        responses: {
          "200": {
            headers: { "X-Left": { schema: { type: "integer" } } },
            content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } },
          },
        },
      },
    },
    "/things/@me": {
      post: {
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } },
        },
        responses: { "204": {}, "4XX": { content: { "application/json": { schema: { type: "object" } } } } },
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string", pattern: "^[0-9]+$" },
          name: { type: ["string", "null"], maxLength: 3 },
          at: { type: "string", format: "date-time" },
          kind: { type: "integer", oneOf: [{ const: 1 }, { const: 2 }] },
          tags: { type: "array", items: { type: "string" }, uniqueItems: true, maxItems: 2 },
        },
      },
    },
  },
};

const api = new OpenApi(document);
const thing = { $ref: "#/components/schemas/Thing" };

function read(more: object = {}): readonly string[] {
  const answerHeaders = { "X-Left": "3" };
  return api.check({
    method: "GET",
    path: "/things/1",
    query: "",
    body: undefined,
    status: 200,
    answer: { id: "1" },
    answerHeaders,
    ...more,
  });
}

test("an exchange that fits has no problems", () => {
  assert.deepEqual(read(), []);
  assert.deepEqual(read({ query: "limit=10" }), []);
  assert.deepEqual(
    api.problemsOf(thing, {
      id: "1",
      name: null,
      kind: 2,
      tags: ["a", "b"],
      at: "2026-01-01T00:00:00.000000+00:00",
    }),
    [],
  );
});

test("each keyword refuses what breaks it", () => {
  const first = (value: unknown): string => api.problemsOf(thing, value, "thing")[0] ?? "";
  assert.match(first([]), /thing is array, not object/);
  assert.match(first({}), /thing.id is missing/);
  assert.match(first({ id: "a" }), /does not match/);
  assert.match(first({ id: "1", name: "long" }), /length 4, more than 3/);
  assert.match(first({ id: "1", name: 3 }), /not string or null/);
  assert.match(first({ id: "1", at: "yesterday" }), /no date-time/);
  assert.match(first({ id: "1", kind: 3 }), /kind is 3/);
  assert.match(first({ id: "1", tags: ["a", "a"] }), /equal items/);
  assert.match(first({ id: "1", tags: ["a", "b", "c"] }), /more than 2/);
  assert.match(first({ id: "1", tags: [1] }), /tags\[0\] is number/);
  assert.match(first({ id: "1", surprise: true }), /surprise is not described/);
});

test("routes, queries, statuses, headers and bodies are checked", () => {
  assert.match(read({ path: "/nothing" })[0] ?? "", /no such route/);
  assert.match(read({ query: "limit=11" })[0] ?? "", /more than 10/);
  assert.match(read({ query: "page=1" })[0] ?? "", /page is not described/);
  assert.match(read({ status: 201 })[0] ?? "", /status is not described/);
  assert.match(read({ answerHeaders: {} })[0] ?? "", /X-Left is missing/);
  const post = {
    method: "POST",
    path: "/things/@me",
    query: "",
    status: 204,
    answer: undefined,
    answerHeaders: {},
  };
  assert.deepEqual(api.check({ ...post, body: { id: "1" } }), []);
  assert.match(api.check({ ...post, body: undefined })[0] ?? "", /no body/);
  assert.match(api.check({ ...post, body: { id: 1 } })[0] ?? "", /request.id is number/);
  assert.match(api.check({ ...post, body: { id: "1" }, answer: {} })[0] ?? "", /should be empty/);
  assert.deepEqual(
    api.check({ ...post, body: { id: 1 }, status: 400, answer: {} }),
    [],
    "a refused request may be wrong",
  );
});
