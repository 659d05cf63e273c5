import { relative } from "node:path";
import { inspect } from "node:util";

/** What node:test tells a reporter, as far as this one reads it. */
interface TestEvent {
  readonly type: string;
  readonly data: {
    readonly name: string;
    readonly file?: string;
    readonly line?: number;
    readonly skip?: string | boolean;
    readonly todo?: string | boolean;
    readonly message?: string;
    readonly details?: { readonly type?: string; readonly error?: Error };
  };
}

const dotsPerLine = 100;

function where({ file, line }: TestEvent["data"]): string {
  return file === undefined ? "" : `${relative(process.cwd(), file)}${line === undefined ? "" : `:${line}`}`;
}

/** A failure is its own cause here: node:test wraps what a test threw. */
function reason(error: Error | undefined): string {
  const cause = error?.cause ?? error;
  return inspect(cause, { depth: 4, breakLength: 110 }).replace(/^/gm, "    ");
}

/**
 * The suite's reporter: a dot a test, each skip with its reason, each failure with its place, and the count.
 * node's `dot` hides what was skipped, its `spec` prints more than a thousand lines for a run without a failure.
 */
export default async function* reporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let [passed, failed, skipped, dots] = [0, 0, 0, 0];
  const failures: string[] = [];
  for await (const { type, data } of events) {
    const isSuite = data.details?.type === "suite";
    if (type === "test:pass" && data.skip !== undefined && data.skip !== false) {
      skipped += 1;
      yield `\nskipped: ${data.name}${typeof data.skip === "string" ? `: ${data.skip}` : ""} (${where(data)})\n`;
    } else if (type === "test:pass" && !isSuite) {
      passed += 1;
      dots += 1;
      yield dots % dotsPerLine === 0 ? ".\n" : ".";
    } else if (type === "test:fail") {
      // A suite fails with its tests; only one that fails by itself (a hook) is told.
      const error = data.details?.error;
      const isEcho = isSuite && /subtests? failed/.test(error?.message ?? "");
      if (isEcho) continue;
      failed += 1;
      failures.push(`failed: ${data.name} (${where(data)})\n${reason(error)}\n`);
      yield `\nfailed: ${data.name} (${where(data)})\n`;
    }
  }
  yield `\n\n${failures.join("\n")}\n${passed} passed, ${failed} failed, ${skipped} skipped\n`;
}
