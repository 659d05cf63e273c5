import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { crc32, deflateSync } from "node:zlib";
import { SCREENS } from "../../../src/sandbox/web/screens.ts";
import { smallPng } from "../../../src/sandbox/web/small-png.ts";

const docs = new URL("../../../docs/", import.meta.url);

describe("the pictures of the documentation", () => {
  test("are there for each screen, wide and narrow, shown in the list of commands, and small", async () => {
    const text = await readFile(new URL("commands.md", docs), "utf8");
    for (const { name } of SCREENS) {
      for (const [suffix, width] of [
        ["wide", 1_280],
        ["narrow", 390],
      ] as const) {
        const file = `screens/${name}-${suffix}.png`;
        const png = await readFile(new URL(file, docs));
        assert.ok(text.includes(file), `${file} is shown`);
        assert.equal(png.readUInt32BE(16), width, file);
        assert.ok(png.length < 150_000, `${file} has ${png.length} bytes`);
      }
    }
  });

  test("keep their colours when they are made small, and are half as large", () => {
    const noise = (x: number, y: number) => [(x * 7) % 16, (y * 5) % 8, 200] as const;
    const large = pngOf(64, 48, noise);
    const small = smallPng(large);
    const [palette, pixels] = [small.indexOf("PLTE"), 64 * 48];
    const colours = small.readUInt32BE(palette - 4) / 3;
    assert.equal(colours, 16 * 8);
    assert.ok(small.length < pixels * 3);
    assert.deepEqual(
      [...new Set(Array.from({ length: colours }, (_, n) => small[palette + 4 + n * 3 + 2]))],
      [200],
    );
    assert.throws(() => smallPng(Buffer.from("no picture")), /no PNG/);
  });
});

/** A PNG with 8 bits RGB, each row written as the difference to the one above. */
function pngOf(width: number, height: number, colour: (x: number, y: number) => readonly number[]): Buffer {
  const flat = (y: number) => Array.from({ length: width }, (_, x) => colour(x, y)).flat();
  const rows = Array.from({ length: height }, (_, y) => {
    const above = y === 0 ? [] : flat(y - 1);
    return [2, ...flat(y).map((value, at) => (value - (above[at] ?? 0)) & 255)];
  });
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const numbers = Buffer.alloc(8);
    numbers.writeUInt32BE(data.length, 0);
    numbers.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([numbers.subarray(0, 4), body, numbers.subarray(4)]);
  };
  const header = Buffer.from([0, 0, 0, width, 0, 0, 0, height, 8, 2, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.from(rows.flat()))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
