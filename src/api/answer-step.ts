import type { Outcome } from "./http/classify.ts";
import type { Route } from "./limits/bucket-registry.ts";

/** What is done with a request once its answer has been judged. */
export type AnswerStep =
  /** The service said stop: everything halts, and this request waits again or is refused. */
  | { readonly kind: "halt"; readonly outcome: Extract<Outcome, { kind: "halt" }>; readonly mayWait: boolean }
  /** It spoke against the key: what that means is decided before the caller gets an answer. */
  | { readonly kind: "key-refused"; readonly outcome: Extract<Outcome, { kind: "key" }> }
  /** It was taken. `speaksForKey`: the key is good, which a command that left before a doubt does not show. */
  | {
      readonly kind: "taken";
      readonly outcome: Extract<Outcome, { kind: "ok" }>;
      readonly speaksForKey: boolean;
    }
  /** The outcome of this request alone. */
  | { readonly kind: "failed"; readonly outcome: Extract<Outcome, { kind: "failure" }> };

/** The step that follows an answer. Pure. */
export function stepAfter(
  outcome: Outcome,
  request: { readonly route: Route; readonly isProbe: boolean; readonly isDoubtful: boolean },
): AnswerStep {
  const { route, isProbe, isDoubtful } = request;
  switch (outcome.kind) {
    case "halt":
      // A command goes back to be checked anew; the halt itself reports the outcome of its probe.
      return { kind: "halt", outcome, mayWait: route === "read" && !isProbe };
    case "key":
      return { kind: "key-refused", outcome };
    case "ok":
      return { kind: "taken", outcome, speaksForKey: route === "read" || !isDoubtful };
    case "failure":
      return { kind: "failed", outcome };
  }
}
