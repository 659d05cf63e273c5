import process from "node:process";
import pg from "pg";

/** PostgreSQL 15 copies a new database page by page through its log unless told otherwise, at twice the price. */
const FIRST_WITH_STRATEGY = 150_000;

let made = 0;

/** Makes databases on a server, which may be another process's; over one connection, which a process each would cost. */
export class PostgresDatabases {
  readonly #url: string;
  #opened: Promise<{ readonly client: pg.Client; readonly strategy: string }> | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  /** The address of a fresh database: empty, or with what stands in the one at the address that is given. */
  async fresh(likeUrl?: string): Promise<string> {
    this.#opened ??= this.#open();
    const { client, strategy } = await this.#opened;
    made += 1;
    // Other processes make theirs on the same server.
    const name = `history_${process.pid}_${made}`;
    const template = likeUrl === undefined ? "" : `template ${new URL(likeUrl).pathname.slice(1)}`;
    await client.query(`create database ${name} ${template} ${strategy}`);
    const address = new URL(this.#url);
    address.pathname = name;
    return address.href;
  }

  async close(): Promise<void> {
    const opened = await this.#opened;
    this.#opened = undefined;
    await opened?.client.end();
  }

  async #open() {
    const client = new pg.Client({ connectionString: this.#url });
    await client.connect();
    const { rows } = await client.query("select current_setting('server_version_num')::int as version");
    return { client, strategy: rows[0].version < FIRST_WITH_STRATEGY ? "" : "strategy = file_copy" };
  }
}

/** What a database takes on the disk. */
export async function bytesOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("select pg_database_size(current_database()) as bytes");
  await client.end();
  return Number(rows[0].bytes);
}
