import { helpText, readCli } from "./cli.ts";
import { UsageError } from "./cli-options.ts";
import { serve } from "./http.ts";
import { Service } from "./service.ts";

const TICK_MS = 1_000;

/** `npm run service`: the emulated service alone, on the real clock, until it is told to end. */
async function main(args: readonly string[]): Promise<void> {
  const settings = readCli(args);
  if (!settings) {
    process.stdout.write(helpText());
    return;
  }
  const service = new Service({ ...settings.service, nowMs: () => Date.now() });
  const served = await serve(service, settings);
  // Requests bring a town to the present by themselves; the timer keeps the step small after a quiet night.
  const timer = setInterval(() => service.advance(), TICK_MS);
  const end = (): void => {
    clearInterval(timer);
    void served.close();
  };
  process.once("SIGTERM", end);
  process.once("SIGINT", end);
  process.stdout.write(`${JSON.stringify({ url: served.url, keys: service.keys })}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const isUsage = error instanceof UsageError;
  const said = error instanceof Error ? error.message : String(error);
  process.stderr.write(`service: ${said}\n`);
  process.exitCode = isUsage ? 2 : 1;
});
