import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { postgresPrograms } from "./postgres-server.ts";
import { keepSuitePostgres, type SuitePostgres, suitePostgres } from "./suite-postgres.ts";

const USER = fileURLToPath(new URL("./postgres-user.ts", import.meta.url));
const HOLDER = fileURLToPath(new URL("./postgres-holder.ts", import.meta.url));

const programs = postgresPrograms();
const skip = programs === undefined ? "this machine has no PostgreSQL" : false;

const folderOf = (url: string) => new URL(url).searchParams.get("host") ?? "";

/** Connects, and answers what waits for the server's end. */
async function connectUntilItsEnd(url: string): Promise<() => Promise<unknown>> {
  const client = new pg.Client({ connectionString: url });
  const { promise, resolve } = Promise.withResolvers<unknown>();
  client.on("error", () => undefined).on("end", () => resolve(undefined));
  await client.connect();
  return () => promise;
}

describe("one PostgreSQL for several processes", { skip }, () => {
  let initialData: string | undefined;
  let kept: SuitePostgres;
  let made: string[];

  /** As `run-tests.ts` does with a process of its own. */
  async function useIt(): Promise<string> {
    const child = fork(USER, { execArgv: [] });
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    child.on("message", (message: { readonly made?: string }) => {
      if (message.made === undefined) void kept.tell(child);
      else resolve(message.made);
    });
    child.on("exit", (code) => reject(new Error(`it ended with ${code}`)));
    return promise;
  }

  before(async () => {
    initialData = (await suitePostgres())?.initialData;
    kept = keepSuitePostgres({ initialData });
  });
  after(() => kept.stop());

  test("two that ask at once get the same server, and databases of their own", async () => {
    made = await Promise.all([useIt(), useIt()]);
    const [one = "", other = ""] = made;
    assert.equal(folderOf(one), folderOf(other));
    assert.notEqual(one, other);
    assert.ok(existsSync(folderOf(one)));
  });

  test("stopped, neither it nor its folder is left", async () => {
    const [url = ""] = made;
    const untilItsEnd = await connectUntilItsEnd(url);
    await kept.stop();
    await untilItsEnd();
    assert.ok(!existsSync(folderOf(url)));
  });

  test("the same where the process that kept it is killed", async () => {
    const holder = fork(HOLDER, [programs ?? "", ...(initialData === undefined ? [] : [initialData])], {
      execArgv: [],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    holder.stderr?.resume();
    const [{ url }] = await once(holder, "message");
    const untilItsEnd = await connectUntilItsEnd(url);
    // What it writes errors to is also that of the script beside it, and closed by the last of both.
    const bothEnded = once(holder, "close");
    holder.kill("SIGKILL");
    await bothEnded;
    await untilItsEnd();
    assert.ok(!existsSync(folderOf(url)));
  });
});
