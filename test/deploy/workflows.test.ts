import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { z } from "zod";
import { root, textOf, yamlOf } from "./deploy-files.ts";

const step = z.object({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.unknown().optional(),
});
const workflow = z.object({ jobs: z.record(z.string(), z.object({ steps: z.array(step) })) });
const stepsOf = (name: string) =>
  yamlOf(`.github/workflows/${name}`, workflow).flatMap(({ jobs }) =>
    Object.values(jobs).flatMap(({ steps }) => steps),
  );

describe(".github/", () => {
  test("one workflow runs what a clean clone has to pass", () => {
    assert.ok(stepsOf("ci.yaml").some(({ run }) => run?.includes(".ci/run")));
  });

  test("one builds and publishes the image on a tag, for both processors, with its provenance", () => {
    const build = stepsOf("image.yaml").find(({ uses }) => uses?.startsWith("docker/build-push-action@"));
    const shape = z.object({
      platforms: z.literal("linux/amd64,linux/arm64"),
      push: z.literal(true),
      provenance: z.literal("mode=max"),
    });
    shape.parse(build?.with);
    assert.match(textOf(".github/workflows/image.yaml"), /tags: \["v\*"\][\s\S]*attest-build-provenance/);
  });

  test("a report of a fault asks for the reference, the version and /diagnose", () => {
    const shape = z.object({ body: z.array(z.object({ id: z.string().optional() })) });
    for (const name of readdirSync(join(root, ".github/ISSUE_TEMPLATE")).filter(
      (one) => one !== "config.yml",
    ))
      yamlOf(`.github/ISSUE_TEMPLATE/${name}`, shape);
    const [bug] = yamlOf(".github/ISSUE_TEMPLATE/bug.yml", shape);
    const ids = bug?.body.map(({ id }) => id);
    for (const id of ["reference", "version", "diagnose"]) assert.ok(ids?.includes(id), id);
  });
});

test("what holds secrets on a host is neither committed nor sent to the builder of an image", () => {
  const linesOf = (path: string) => textOf(path).split("\n");
  const kept = [
    ".env",
    ".env.*",
    "!.env.example",
    "data/",
    "/backups*/",
    "/lost/",
    "/deploy/k8s/secret.yaml",
  ];
  for (const line of kept) assert.ok(linesOf(".gitignore").includes(line), line);
  const sent = linesOf(".dockerignore");
  for (const line of [".env", ".env.*", "data", "backups*", "lost", "deploy/k8s"])
    assert.ok(sent.includes(line), line);
});
