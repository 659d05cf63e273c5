import type { Fate } from "../../src/sandbox/service/faults.ts";
import { Service, type ServiceRequest, type ServiceResponse } from "../../src/sandbox/service/service.ts";

/** What a test may look at of one request; the key is not kept. */
export interface Answered {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Whether it was asked with the first of the service's keys, which is the home community's. */
  readonly isHome: boolean;
}

/** The emulated service, telling of each request when it has been answered: it has no events of its own. */
export class WatchedService extends Service {
  readonly answered: Answered[] = [];
  readonly #listeners = new Set<() => void>();

  override handle(request: ServiceRequest, fate?: Fate): ServiceResponse {
    const response = super.handle(request, fate);
    const isHome = request.headers["server-key"] === this.keys[0];
    this.answered.push({ method: request.method, path: request.path, status: response.status, isHome });
    for (const listener of [...this.#listeners]) listener();
    return response;
  }

  onAnswered(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
