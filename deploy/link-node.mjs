// Runs at the end of `npm ci`, on whatever Node there is. npm before 11.6.2 removes node_modules/.bin/node again when it
// leaves out the packages of other systems, which all bring a `node` (npm/cli#4362); then every script would run on the
// machine's own Node. What npm left in place stays as it is.
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const modules = fileURLToPath(new URL("../node_modules", import.meta.url));
const link = join(modules, ".bin", "node");
const system = `${process.platform}-${process.arch}`;
const brought = [`node-${system}`, `node-bin-${system}`].find((name) =>
  existsSync(join(modules, name, "bin", "node")),
);
// Windows starts programs by a file that npm writes and does not remove.
if (process.platform !== "win32" && brought !== undefined && !existsSync(link)) {
  mkdirSync(join(modules, ".bin"), { recursive: true });
  // One that leads nowhere.
  rmSync(link, { force: true });
  symlinkSync(join("..", brought, "bin", "node"), link);
}
