import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Documented } from "../soak/hosting/documented.ts";
import { tempFolder } from "../support/temp-folder.ts";
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

  test("what stops, puts back or checks out is a chain: a line that fails ends it", () => {
    const blocks = [...textOf("docs/hosting.md").matchAll(/^```sh\n(.*?)\n```$/gms)].map(
      ([, text = ""]) => text,
    );
    const changes =
      / restore |checkout -m|volume rm|delete pvc|\bempty\b|\/lost\b|lost\/|install -m 600| export /;
    const chains = blocks.filter((block) => changes.test(block) && block.includes("\n"));
    assert.ok(chains.length >= 15, `${chains.length}`);
    for (const block of chains) {
      const lines = block.split("\n");
      const first = lines.findIndex((line) => line.endsWith(" &&"));
      // What comes before only shows something, or clones, or installs.
      const harmless =
        /^(?:git clone|sudo (?:apt|git clone|npm ci|cp|systemctl daemon-reload|install -d|test)|docker compose .* ls backups|bash deploy\/secrets\.sh anew|# )/;
      for (const line of lines.slice(0, first === -1 ? undefined : first))
        assert.match(line, harmless, block);
      if (first === -1) continue;
      for (const line of lines.slice(first, -1)) assert.ok(line.endsWith(" &&"), `${line}\n\n${block}`);
    }
  });

  test("what was changed and does not fit ends an update and going back before anything starts", (t) => {
    const temp = tempFolder();
    t.after(() => temp.remove());
    const documented = new Documented();
    const run = (line: string, folder = join(temp.path, "mine")) => {
      const who = ["-c", "user.name=A", "-c", "user.email=a@example.com"].join(" ");
      const { stdout, stderr } = spawnSync(
        "bash",
        ["-c", line.replaceAll("git commit", `git ${who} commit`)],
        {
          cwd: folder,
          encoding: "utf8",
          env: { ...process.env, GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@example.com" },
        },
      );
      return { stdout, all: stdout + stderr };
    };
    const mine = () => writeFileSync(join(temp.path, "mine/limits"), "mine\n");
    const commit = (text: string) => `echo ${text} > limits && git add limits && git commit -qm ${text}`;
    run(`git init -q -b main theirs && cd theirs && ${commit("old")} && git tag VERSION`, temp.path);
    run("git clone -q theirs mine", temp.path);
    run(`${commit("new")}`, join(temp.path, "theirs"));
    mine();
    const step = (line: string) => run(`${documented.take(line)} && echo started`);
    const steps = ["git pull --autostash", "git checkout -m VERSION"];
    for (const line of steps) {
      const shown = step(`${line} && ! git grep -n '^<<<<<<< '`);
      assert.match(shown.stdout, /^limits:1:<<<<<<< /m, shown.all);
      assert.doesNotMatch(shown.stdout, /^started$/m);
      mine();
      assert.match(step("git reset -q").stdout, /started/);
    }
    assert.match(step("git checkout -m main").stdout, /started/);
  });

  test("no file of secrets is written over", () => {
    const lines = textOf("docs/hosting.md").split("\n");
    const writes = lines.filter(
      (line) =>
        /(?:cp|install|>) (?:\S+ )*(?:\S*\/)?(?:\.env|marshal\.env|secret\.yaml)\b/.test(line) &&
        !line.includes(">> "),
    );
    assert.ok(writes.length >= 6, `${writes.length}`);
    for (const line of writes) assert.match(line, /\btest -e \S+ \|\| /, line);
  });

  test("what is appended to a file of secrets gets a line of its own", () => {
    const blocks = [...textOf("docs/hosting.md").matchAll(/^```sh\n(.*?)\n```$/gms)].map(
      ([, text = ""]) => text,
    );
    const appending = blocks.filter((block) => />> (?:\.env|marshal\.env)\b/.test(block));
    assert.ok(appending.length >= 7, `${appending.length}`);
    for (const block of appending) {
      const ended = Math.min(
        ...[".env", "/etc/marshal/marshal.env"].flatMap((file) => {
          const at = block.indexOf(`sed -i '$a\\' ${file}\n`);
          return at === -1 ? [] : [at];
        }),
      );
      assert.ok(ended < block.indexOf(">> "), block);
    }
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
