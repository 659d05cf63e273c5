import { Failure } from "../../domain/failure.ts";
import type { WorkPermit } from "../../domain/ports/work-permit.ts";
import type { Transport } from "./transport.ts";

/**
 * The same transport for a process that may lose its right to ask: nothing is written without it. It is asked for again
 * at the moment of the first byte, because a process can be stopped at any place and continued a minute later.
 */
export function permittedTransport(send: Transport, permit: Pick<WorkPermit, "refusal">): Transport {
  return (request, cancel) => {
    const why = permit.refusal();
    if (why !== undefined) return Promise.reject(paused(why));
    const onStart = () => {
      const tooLate = permit.refusal();
      if (tooLate === undefined) request.onStart();
      else cancel.call(paused(tooLate));
    };
    return send({ ...request, onStart }, cancel);
  };
}

/** The message of a request that was held back. */
export function paused(why: string): Failure {
  return new Failure("paused", why);
}
