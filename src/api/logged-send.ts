import { Failure } from "../domain/failure.ts";
import type { Clock } from "../domain/ports/clock.ts";
import { currentRequest } from "../domain/request-scope.ts";
import type { Log } from "../log.ts";
import type { Gate } from "./gate.ts";

/** `gate.send`, which logs each request that people asked for; the log adds the reference that they can quote. */
export function loggedSend(
  gate: Pick<Gate, "send">,
  { clock, log }: { readonly clock: Pick<Clock, "monotonicMs">; readonly log: Log | undefined },
): Gate["send"] {
  const logged: Gate["send"] = async (exchange) => {
    const startMs = clock.monotonicMs();
    const note = (outcome: string) => {
      const { source, route } = exchange;
      const tookMs = Math.round(clock.monotonicMs() - startMs);
      log?.info({ source, route, outcome, tookMs }, "asked the game service for a person");
    };
    try {
      const answered = await gate.send(exchange);
      note("ok");
      return answered;
    } catch (error) {
      note(error instanceof Failure ? error.code : "defect");
      throw error;
    }
  };
  return (exchange) => (currentRequest() === undefined ? gate.send(exchange) : logged(exchange));
}
