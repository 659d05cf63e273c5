import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Documented } from "../soak/hosting/documented.ts";
import { knownVariables, root, textOf } from "./deploy-files.ts";

/** The cells of every table of a document whose last column names tests. */
function threatsIn(path: string): readonly (readonly string[])[] {
  const rows = textOf(path)
    .split("\n")
    .filter((line) => line.startsWith("| ") && /`test\/[^`]*` \|$/.test(line));
  return rows.map((row) => row.split("|").map((cell) => cell.trim()));
}

describe("what is documented for operators", () => {
  test("each threat names what stands against it, and a test that is there", () => {
    for (const [path, least] of [
      ["docs/hosting.md", 15],
      ["SECURITY.md", 6],
    ] as const) {
      const threats = threatsIn(path);
      assert.ok(threats.length >= least, `${threats.length} in ${path}`);
      for (const [, threat = "", against = "", shown = ""] of threats) {
        assert.ok(threat.length > 10 && against.length > 10, `${path}: ${threat}`);
        for (const [, file = ""] of shown.matchAll(/`([^`]+)`/g))
          assert.ok(existsSync(join(root, file)), `${path}: ${threat}: ${file}`);
      }
    }
  });

  test("every variable has its row, and no other stands there", () => {
    const rows = [...textOf("docs/hosting.md").matchAll(/^\| `([A-Z_]+)` \| [^|]*[a-z]/gm)].map(
      ([, name]) => name,
    );
    assert.deepEqual([...new Set(rows)].sort(), [...knownVariables()].sort());
  });

  test("a command in a sentence is run or named as one that cannot be, like one in a block", () => {
    const text = [
      "Type `git\nstash`, `npm run store -- check`, `sudo systemctl edit x` or `docker compose up`; not `data/`, `npm run bench -- disk`.",
      "```sh\ngit pull\n```",
      "```yaml\ngit: no command\n```",
      "### What of this was run",
      "`docker push` and `curl -s x` not.",
      "## Next",
    ].join("\n\n");
    const documented = new Documented(text);
    assert.equal(documented.take("git stash"), "git stash");
    assert.throws(() => documented.take("git status"), /has no command: git status/);
    const { named, forgotten } = documented.left();
    assert.deepEqual(named, ["sudo systemctl edit x", "docker compose up"]);
    assert.deepEqual(forgotten, ["git pull", "npm run store -- check"]);
  });

  test("a lost file is read back with every variable that may stand in it", () => {
    const text = textOf("docs/hosting.md");
    const given = ["STORE_URL", "HISTORY_URL", "OPS_ADDRESS"];
    const passwords = ["POSTGRES_PASSWORD", "GRAFANA_PASSWORD"];
    const lines = [...text.matchAll(/^.*grep -E .\^(\(.*\)\[A-Z_\]\*)=\..*$/gm)];
    const kept = lines.map(([line, names]) => {
      const isKept = (name: string) => new RegExp(`^${names}$`).test(name);
      const asked = [...knownVariables()].filter((name) => line.includes("/proc/") || !given.includes(name));
      const all = line.includes("marshal-cluster") ? [...asked, ...passwords] : asked;
      assert.deepEqual(
        all.filter((name) => !isKept(name)),
        [],
        line,
      );
      for (const other of ["PATH", "LOGNAME", "POSTGRES_USER", "NODE_ENV"]) assert.ok(!isKept(other), other);
      return all.length;
    });
    assert.equal(kept.length, 3);
  });

  test("files and scripts that are named are there", () => {
    const text = textOf("docs/hosting.md");
    for (const [, path = ""] of text.matchAll(/`((?:deploy|docs|src|test)\/[\w./-]+)`/g))
      assert.ok(existsSync(join(root, path)), path);
    const scripts = Object.keys(JSON.parse(textOf("package.json")).scripts);
    for (const [, script = ""] of text.matchAll(/`npm run ([\w:]+)/g))
      assert.ok(scripts.includes(script), script);
  });
});
