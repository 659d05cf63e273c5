import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** What a process needs to use a server that another one keeps. */
export interface PostgresPlace {
  /** The address of the database from which others are made (`postgres-databases.ts`). */
  readonly url: string;
  /** What initdb made, as it was before a server ran on it: another server can begin with a copy. */
  readonly initialData: string;
}

export interface PostgresServer extends PostgresPlace {
  /** Goes away in the middle of what it does; `comeBack` starts it again with what it has. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  /** Ends at once, and takes its folder with it. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Of another server: copied, where initdb would take half a second of a core. */
  readonly initialData?: string | undefined;
  /** Of the server, as in `os.setPriority`. @default that of this process */
  readonly priority?: number;
}

const KEEPER = fileURLToPath(new URL("./keep-postgres.sh", import.meta.url));
/** Seven processes of tests may share a server, and each keeps the pools of a suite open. */
const MOST_CONNECTIONS = 350;

/** Where this machine has PostgreSQL's programs; Debian keeps them outside of PATH. */
export function postgresPrograms(): string | undefined {
  const newestFirst = globSync("/usr/lib/postgresql/*/bin").sort().reverse();
  const folders = [...newestFirst, ...(process.env.PATH ?? "").split(":")];
  return folders.find((folder) => folder !== "" && existsSync(join(folder, "initdb")));
}

/**
 * A server of its own, on a socket in a temp folder: no port, no password, nothing that waits for the disk. It ends with
 * this process, however that ends.
 */
export async function startPostgres(
  programs: string,
  { initialData, priority }: PostgresOptions = {},
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "marshal-pg-"));
  const user = process.getuid?.() === 0 ? "postgres" : "marshal";
  const options = `-k ${folder} -h '' -c fsync=off -c max_connections=${MOST_CONNECTIONS}`;
  const keeper = spawn("sh", [KEEPER, programs, folder, user, initialData ?? "", options], {
    // Ctrl-C reaches all processes of a terminal at once, and this one has to outlive the others.
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (priority !== undefined && keeper.pid !== undefined) setPriority(keeper.pid, priority);
  const ended = once(keeper, "close");
  const answers = createInterface({ input: keeper.stdout })[Symbol.asyncIterator]();
  // Where it has ended by itself, no answer comes, which says it better.
  keeper.stdin.on("error", () => undefined);
  const order = async (word: "start" | "stop") => {
    keeper.stdin.write(`${word}\n`);
    const { value } = await answers.next();
    if (value !== word) throw new Error(`PostgreSQL of ${programs} did not ${word}; why is on stderr`);
  };

  await order("start");
  return {
    url: `postgres://${user}@localhost/postgres?host=${encodeURIComponent(folder)}`,
    initialData: initialData ?? join(folder, "initial"),
    goAway: () => order("stop"),
    comeBack: () => order("start"),
    async stop() {
      keeper.stdin.end();
      await ended;
    },
  };
}
