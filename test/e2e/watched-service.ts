import type { Fate } from "../../src/sandbox/service/faults.ts";
import { Service, type ServiceRequest, type ServiceResponse } from "../../src/sandbox/service/service.ts";

/** What a test may look at of one request; the key is not kept. */
export interface Answered {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/** The emulated service, telling of each request when it has been answered: it has no events of its own. */
export class WatchedService extends Service {
  readonly answered: Answered[] = [];
  readonly #listeners = new Set<() => void>();

  override handle(request: ServiceRequest, fate?: Fate): ServiceResponse {
    const response = super.handle(request, fate);
    this.answered.push({ method: request.method, path: request.path, status: response.status });
    for (const listener of [...this.#listeners]) listener();
    return response;
  }

  onAnswered(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
