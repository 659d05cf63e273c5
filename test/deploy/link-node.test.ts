import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { tempFolder } from "../support/temp-folder.ts";

const SCRIPT = new URL("../../deploy/link-node.mjs", import.meta.url);

/** A checkout after npm has installed; `brings`: the package with a Node that it has left in place. */
function checkout({ brings }: { readonly brings?: string }) {
  const folder = tempFolder();
  const modules = join(folder.path, "node_modules");
  mkdirSync(join(folder.path, "deploy"));
  copyFileSync(SCRIPT, join(folder.path, "deploy", "link-node.mjs"));
  if (brings !== undefined) {
    mkdirSync(join(modules, brings, "bin"), { recursive: true });
    writeFileSync(join(modules, brings, "bin", "node"), "");
  }
  return {
    link: join(modules, ".bin", "node"),
    modules,
    install: () => void execFileSync(process.execPath, [join(folder.path, "deploy", "link-node.mjs")]),
    remove: () => folder.remove(),
  };
}

describe("the Node that npm ci brings", () => {
  for (const brings of [
    `node-${process.platform}-${process.arch}`,
    `node-bin-${process.platform}-${process.arch}`,
  ])
    test(`is linked again where an older npm has removed the link (${brings.includes("-bin-") ? "node-bin" : "node"})`, () => {
      const { link, install, remove } = checkout({ brings });
      try {
        install();
        assert.equal(readlinkSync(link), `../${brings}/bin/node`);
      } finally {
        remove();
      }
    });

  test("is left as npm linked it, and where none was brought nothing is made", () => {
    const kept = checkout({ brings: `node-${process.platform}-${process.arch}` });
    const none = checkout({});
    try {
      mkdirSync(join(kept.modules, ".bin"));
      writeFileSync(join(kept.modules, "of-npm"), "");
      symlinkSync("../of-npm", kept.link);
      kept.install();
      assert.equal(readlinkSync(kept.link), "../of-npm");
      rmSync(join(kept.modules, "of-npm"));
      kept.install();
      assert.match(readlinkSync(kept.link), /bin\/node$/, "one that leads nowhere is made anew");
      none.install();
      assert.throws(() => lstatSync(none.link), /ENOENT/);
    } finally {
      kept.remove();
      none.remove();
    }
  });
});
