import type { Clock, Random } from "../domain/ports/clock.ts";
import type { History } from "../domain/ports/history.ts";
import { WorkerClient } from "./worker/worker-client.ts";

export interface HistoryParts {
  /** `sqlite:PATH` or `postgres://...` */
  readonly url: string;
  /** Marks forgotten players; independent of every other use of the bot's secret. */
  readonly markKey: Uint8Array;
  readonly clock: Clock;
  readonly random: Random;
  /** What keeps the history from working, in words for the operator; undefined: it works again. */
  onTrouble(message: string | undefined): void;
  onDefect(message: string): void;
}

export interface HistoryWing extends Pick<History, "players"> {
  start(): void;
  stop(): Promise<void>;
}

/** Builds the wing that keeps what happened on the game servers and answers from it; its database is in a worker. */
export function createHistory({ url, markKey, ...parts }: HistoryParts): HistoryWing {
  const client = new WorkerClient({ ...parts, options: { url, markKey } });
  return {
    players: {
      search: (guildId, typed, limit) => client.call("players.search", { guildId, typed, limit }),
      find: (guildId, nameOrId) => client.call("players.find", { guildId, nameOrId }),
    },
    start: () => client.start(),
    stop: () => client.stop(),
  };
}
