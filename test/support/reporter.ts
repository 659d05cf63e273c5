import { relative } from "node:path";
import { inspect } from "node:util";
import { END_OF_FILE } from "./test-worker.ts";

/** The fields of node:test's events that this reporter reads. */
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

const DOTS_PER_LINE = 100;
/** How node:test begins what it says of an error that it assigns to no test, or to one that has ended. */
const STRAY = "Error: ";

function where({ file, line }: TestEvent["data"]): string {
  return file === undefined ? "" : `${relative(process.cwd(), file)}${line === undefined ? "" : `:${line}`}`;
}

/** Shows what a test threw, which node:test wraps as the cause of its own error. */
function reason(error: Error | undefined): string {
  const cause = error?.cause ?? error;
  return inspect(cause, { depth: 4, breakLength: 110 }).replace(/^/gm, "    ");
}

/**
 * The suite's reporter: a dot a test, each skip and each todo with its reason, each failure with its place, and the count.
 * node's `dot` hides what was skipped, its `spec` prints more than a thousand lines for a run without a failure.
 */
export default async function* reporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let [passed, failed, skipped, dots] = [0, 0, 0, 0];
  const failures: string[] = [];
  for await (const { type, data } of events) {
    if (data.name === END_OF_FILE) continue;
    const isSuite = data.details?.type === "suite";
    if (type === "test:pass" && data.skip !== undefined && data.skip !== false) {
      skipped += 1;
      yield `\nskipped: ${data.name}${typeof data.skip === "string" ? `: ${data.skip}` : ""} (${where(data)})\n`;
    } else if (type === "test:pass" && !isSuite) {
      passed += 1;
      dots += 1;
      yield dots % DOTS_PER_LINE === 0 ? ".\n" : ".";
    } else if (type === "test:diagnostic" && data.message?.startsWith(STRAY) === true) {
      failed += 1;
      failures.push(`failed: outside of any test\n    ${data.message}\n`);
    } else if (type === "test:fail" && data.todo !== undefined && data.todo !== false) {
      // A known loss: it counts as a test that was left out, until the step that it names mends it.
      skipped += 1;
      yield `\ntodo: ${data.name}${typeof data.todo === "string" ? `: ${data.todo}` : ""} (${where(data)})\n`;
    } else if (type === "test:fail") {
      // A suite fails with its tests; it is printed only when it fails by itself, such as in a hook.
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
