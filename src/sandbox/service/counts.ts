/** One command that had its effect in a town. */
export interface Execution {
  readonly commandId: string;
  readonly key: string;
  readonly text: string;
  readonly atMs: number;
}

/** What the service was sent and what it answered: the judge of a client. Identity: `address` or `address+globalKey`. */
export class ServiceCounts {
  requests = 0;
  commands = 0;
  answers429 = 0;
  /** Requests that arrived while their identity was inside a 429 wait it had been told. */
  avoidable = 0;
  /** Requests with a key to a route inside the wait that a 500 or 503 there had named. */
  earlyAfterError = 0;
  /** Blocks begun, block pages begun for going on, addresses banned for bad keys. */
  blocks = 0;
  pages = 0;
  bans = 0;
  /** Requests that met the network's block page. */
  pageAnswers = 0;
  readonly avoidableByIdentity = new Map<string, number>();
  readonly byStatus = new Map<number, number>();
  /** Every request that named this key, good or bad. */
  readonly byKey = new Map<string, number>();
  /** Requests with an invalid, malformed or regenerated key. */
  readonly badKeyRequests = new Map<string, number>();
  readonly badKeyByAddress = new Map<string, number>();
  /** When each of them came. */
  readonly badKeysAtMs: number[] = [];
  readonly executionsByText = new Map<string, number>();
  readonly executionsById = new Map<string, number>();
  readonly executions: Execution[] = [];

  /** Notes an effect. */
  executed(execution: Execution): void {
    this.executions.push(execution);
    bump(this.executionsByText, execution.text);
    bump(this.executionsById, execution.commandId);
  }

  /** Back to nothing, so that a scenario can be judged alone. */
  reset(): void {
    this.requests = 0;
    this.commands = 0;
    this.answers429 = 0;
    this.avoidable = 0;
    this.earlyAfterError = 0;
    this.blocks = 0;
    this.pages = 0;
    this.bans = 0;
    this.pageAnswers = 0;
    for (const map of [this.avoidableByIdentity, this.byKey, this.badKeyRequests, this.badKeyByAddress])
      map.clear();
    for (const map of [this.executionsByText, this.executionsById]) map.clear();
    this.byStatus.clear();
    this.executions.length = 0;
    this.badKeysAtMs.length = 0;
  }
}

/** Adds one to a counter of a map. */
export function bump<K>(map: Map<K, number>, key: K): void {
  map.set(key, (map.get(key) ?? 0) + 1);
}
