import { z } from "zod";
import type { SharedLimits } from "../../domain/ports/shared-limits.ts";
import type { Log } from "../../log.ts";
import { CLEAR_HALT, EXCHANGE, EXTEND_IDENTIFY, IDENTIFY } from "../lease-scripts.ts";
import { openRedisLine, type RedisLine } from "../redis-line.ts";
import type { Cell } from "./cell.ts";
import { StoredLimits } from "./shared-limits.ts";

const PREFIX = "marshal:";
const STATE_KEY = `${PREFIX}service-limits`;
/** As the store keeps the documents of a namespace, and when those that only get longer end. */
const HALTS = { documents: `${PREFIX}docs:halts`, ends: `${PREFIX}rank:halts` } as const;
const REJECTED = `${PREFIX}docs:rejected-keys`;
/** What was spent counts for an hour. */
const STATE_KEPT_MS = 2 * 60 * 60_000;

/** What processes pace with each other, on a connection of its own. */
export interface RedisLimits {
  /** The service's limits for a process with this token, by whom the service counts. */
  limitsOf(token: string): (identity: string) => SharedLimits;
  /** Takes the turn of an identify for that time; else resolves with how long another process has it. */
  takeIdentify(slot: number, forMs: number): Promise<number>;
  /** Has the turn of an identify, which the caller took, last for that time from now. */
  extendIdentify(slot: number, forMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens the connection; while it is lost every call rejects at once. */
export async function openRedisLimits(url: string, log: Log): Promise<RedisLimits> {
  const line = await openRedisLine(url, log);
  return {
    limitsOf: (token) => (identity) => new StoredLimits(redisCell(line, identity), token),
    takeIdentify: async (slot, forMs) =>
      Math.max(0, Number(await line.run(IDENTIFY, [identifyKey(slot)], [String(forMs)]))),
    async extendIdentify(slot, forMs) {
      await line.run(EXTEND_IDENTIFY, [identifyKey(slot)], [String(forMs)]);
    },
    close: () => line.close(),
  };
}

function identifyKey(slot: number): string {
  return `${PREFIX}identify:${slot}`;
}

const exchanged = z.tuple([z.number(), z.coerce.number(), z.string(), z.string(), z.string(), z.string()]);
/** As the store writes a document. */
const stored = z.object({ value: z.unknown() });

function redisCell(line: RedisLine, identity: string): Cell {
  const keys = [STATE_KEY, HALTS.documents, HALTS.ends, REJECTED];
  return {
    async exchange(write, source) {
      const expected = write === undefined ? ["-", ""] : [`+${write.from.text}`, write.from.halt?.ends ?? ""];
      const given = [...expected, write?.text ?? "", identity, source ?? "", String(STATE_KEPT_MS)];
      const [isWritten, nowMs, text, halt, ends, rejected] = exchanged.parse(
        await line.run(EXCHANGE, keys, given),
      );
      return {
        isWritten: isWritten === 1,
        nowMs,
        text,
        halt: halt === "" ? undefined : { document: valueIn(halt), ends, endsMs: Number(ends) },
        rejected: rejected === "" ? undefined : valueIn(rejected),
      };
    },
    async notRejected(sources) {
      const found = await line.haveFields(REJECTED, sources);
      return sources.filter((_, index) => found[index] !== true);
    },
    clearHalt: async (ends) => {
      await line.run(CLEAR_HALT, [HALTS.ends, HALTS.documents], [identity, ends]);
    },
  };
}

function valueIn(text: string): unknown {
  return stored.parse(JSON.parse(text)).value;
}
