import { AsyncLocalStorage } from "node:async_hooks";

/**
 * The interaction in whose course something happens, by its reference: what a person can quote. One for the process,
 * though nothing else here is: only the runtime knows what follows from what, and handing the reference on would put it
 * into every port between an interaction and a logged line. It names lines of the log and decides nothing.
 */
const scope = new AsyncLocalStorage<string>();

/** Does the work, and all that follows from it, in the course of that interaction. */
export function inRequest<T>(reference: string, work: () => T): T {
  return scope.run(reference, work);
}

/** The reference of the interaction that is being answered; undefined where nobody asked. */
export function currentRequest(): string | undefined {
  return scope.getStore();
}

/**
 * Does the work in nobody's course. What goes on by itself (polls, each of which starts the next) would else count for
 * ever as what the person asked who happened to set it going.
 */
export function outsideRequests<T>(work: () => T): T {
  return scope.exit(work);
}

/** The same work within the present interaction: a queue would do it within the interaction that came before. */
export function keepingRequest<T>(work: () => T): () => T {
  const reference = scope.getStore();
  return () => (reference === undefined ? scope.exit(work) : scope.run(reference, work));
}
