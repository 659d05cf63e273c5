import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { startRedis } from "./redis-server.ts";
import { tempFolder } from "./temp-folder.ts";

/** A store whose machine can lose its power: it is set back to a state that its disk has had. */
export interface SetBackStore<State = unknown> {
  readonly url: string;
  /** What the disk has now; undefined where that cannot be read in one piece. */
  state(): State | undefined;
  /** Nobody may have the store open. Without a state only the power goes, and nothing is lost. */
  setBack(to: State | undefined): Promise<void>;
  close(): Promise<void>;
}

interface Files {
  readonly database: Buffer;
  readonly log: Buffer;
}

/** What sqlite has not synced is the end of its write-ahead log; a copy of both files is what a disk may hold. */
export function setBackSqlite(): SetBackStore<Files> {
  const folder = tempFolder();
  const path = join(folder.path, "marshal.sqlite");
  const log = `${path}-wal`;
  return {
    url: `sqlite:${path}`,
    state: () => copyOf(path, log),
    async setBack(to) {
      if (to === undefined) return;
      writeFileSync(path, to.database);
      writeFileSync(log, to.log);
      // An index of the log, which sqlite makes anew.
      rmSync(`${path}-shm`, { force: true });
    },
    close: async () => folder.remove(),
  };
}

/** Undefined where the two files belong to different moments: the log was written back into the database meanwhile. */
function copyOf(path: string, log: string): Files | undefined {
  if (!existsSync(path) || !existsSync(log)) return undefined;
  const stamp = () => `${statSync(path).mtimeMs} ${headOf(log)}`;
  const before = stamp();
  const copy = { database: readFileSync(path), log: readFileSync(log) };
  return stamp() === before ? copy : undefined;
}

/** A log that begins anew has another salt in its head. */
function headOf(log: string): string {
  const file = openSync(log, "r");
  try {
    const head = Buffer.alloc(32);
    return head.toString("hex", 0, readSync(file, head));
  } finally {
    closeSync(file);
  }
}

interface FileEnd {
  readonly file: string;
  readonly bytes: number;
}

/** With `appendfsync everysec` a cut takes the end of the append-only file. */
export async function setBackRedis(): Promise<SetBackStore<FileEnd>> {
  const server = await startRedis({ appendfsync: "everysec" });
  return {
    url: server.url,
    state() {
      const file = appendOnlyFile(server.folder);
      return file === undefined ? undefined : { file, bytes: statSync(file).size };
    },
    async setBack(to) {
      await server.kill();
      if (to !== undefined) truncateSync(to.file, to.bytes);
      await server.start();
    },
    close: () => server.stop(),
  };
}

/** The newest increment: what was written before the last rewrite is a file of its own. */
function appendOnlyFile(folder: string): string | undefined {
  const inside = join(folder, "appendonlydir");
  const names = existsSync(inside) ? readdirSync(inside).filter((name) => name.endsWith(".incr.aof")) : [];
  const [newest] = names
    .map((name) => join(inside, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  return newest;
}
