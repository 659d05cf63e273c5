import { environment } from "../src/config.ts";
import { runStoreTool } from "./store-tool.ts";

process.exitCode = await runStoreTool({
  args: process.argv.slice(2),
  environment: environment(),
  say: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
});
