import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

export interface PostgresServer {
  /** The address of a fresh, empty database. */
  fresh(): string;
  /** What such a database takes on the disk. */
  bytesOf(url: string): number;
  /** Goes away in the middle of what it does; `comeBack` starts it again with what it has. */
  goAway(): void;
  comeBack(): void;
  /** Ends at once, without writing what it still holds in memory. */
  stop(): void;
}

/** Where this machine has PostgreSQL's programs; Debian keeps them outside of PATH. */
export function postgresPrograms(): string | undefined {
  const newestFirst = globSync("/usr/lib/postgresql/*/bin").sort().reverse();
  const folders = [...newestFirst, ...(process.env.PATH ?? "").split(":")];
  return folders.find((folder) => folder !== "" && existsSync(join(folder, "initdb")));
}

/** A server of its own, on a socket in a temp folder: no port, no password, nothing that waits for the disk. */
export function startPostgres(programs: string): PostgresServer {
  const folder = mkdtempSync(join(tmpdir(), "marshal-pg-"));
  // It refuses to run as root, and then belongs to the user that its package made.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) execFileSync("chown", ["postgres", folder]);
  chmodSync(folder, 0o700);
  const run = (program: string, ...args: string[]) => {
    const command = [join(programs, program), ...args];
    // What pg_ctl starts keeps its output open: it is not waited for.
    const kept = program === "psql" ? "pipe" : "ignore";
    const [first = "", ...rest] = isRoot ? ["runuser", "-u", "postgres", "--", ...command] : command;
    const { status, stdout, stderr } = spawnSync(first, rest, {
      encoding: "utf8",
      cwd: folder,
      stdio: ["ignore", kept, "pipe"],
    });
    if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
    return stdout;
  };
  const user = isRoot ? "postgres" : "marshal";
  const data = join(folder, "data");
  run("initdb", "-D", data, "-A", "trust", "-N", "-U", user);
  const options = `-k ${folder} -h '' -c fsync=off -c max_connections=50`;
  const start = () => run("pg_ctl", "-D", data, "-o", options, "-l", join(folder, "log"), "-w", "start");
  const end = () => run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop");
  start();
  const urlOf = (database: string) => `postgres://${user}@/${database}?host=${encodeURIComponent(folder)}`;
  let made = 0;
  return {
    fresh() {
      made += 1;
      const name = `history${made}`;
      run("psql", "-h", folder, "-U", user, "-d", "postgres", "-c", `create database ${name}`);
      return urlOf(name);
    },
    bytesOf(url) {
      const { pathname } = new URL(url.replace("@/", "@localhost/"));
      const query = `select pg_database_size('${pathname.slice(1)}')`;
      return Number(run("psql", "-h", folder, "-U", user, "-d", "postgres", "-At", "-c", query));
    },
    goAway: () => void end(),
    comeBack: () => void start(),
    stop() {
      end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
