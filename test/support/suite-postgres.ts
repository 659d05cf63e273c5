import type { ChildProcess } from "node:child_process";
import process from "node:process";
import {
  type PostgresOptions,
  type PostgresPlace,
  postgresPrograms,
  startPostgres,
} from "./postgres-server.ts";

/** One PostgreSQL for all processes of the suite: `run-tests.ts` keeps it, and they ask for it. */

/** What a process of the suite sends when a file needs a PostgreSQL. */
export interface PostgresQuestion {
  readonly asksFor: "postgres";
}

interface PostgresAnswer {
  readonly postgres: PostgresPlace | { readonly failure: string };
}

export interface SuitePostgres {
  /** Tells a process where the server is; the first that asks has it started. */
  tell(child: Pick<ChildProcess, "send" | "connected">): Promise<void>;
  stop(): Promise<void>;
}

/** The end of the process that keeps it. All others ask it, so that two can never start one at the same time. */
export function keepSuitePostgres(options: PostgresOptions): SuitePostgres {
  let started: ReturnType<typeof startPostgres> | undefined;
  return {
    async tell(child) {
      started ??= startPostgres(postgresPrograms() ?? "", options);
      const postgres = await started.then(
        ({ url, initialData }): PostgresPlace => ({ url, initialData }),
        (error: unknown) => ({ failure: String(error) }),
      );
      if (child.connected) child.send({ postgres } satisfies PostgresAnswer);
    },
    async stop() {
      // Where it did not start, those that asked have said so.
      const server = await started?.catch(() => undefined);
      await server?.stop();
    },
  };
}

/** The end of a process of the suite. Undefined in a process that stands alone, such as one of `npm run test:file`. */
export function suitePostgres(): Promise<PostgresPlace | undefined> {
  if (process.send === undefined) return Promise.resolve(undefined);
  const { promise, resolve, reject } = Promise.withResolvers<PostgresPlace>();
  process.on("message", function listen(message: Partial<PostgresAnswer>) {
    if (message.postgres === undefined) return;
    process.off("message", listen);
    if ("failure" in message.postgres) reject(new Error(message.postgres.failure));
    else resolve(message.postgres);
  });
  process.send({ asksFor: "postgres" } satisfies PostgresQuestion);
  return promise;
}
