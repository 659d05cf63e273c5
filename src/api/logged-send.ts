import { Failure } from "../domain/failure.ts";
import type { Clock } from "../domain/ports/clock.ts";
import { currentRequest } from "../domain/request-scope.ts";
import type { Log } from "../log.ts";
import type { Gate } from "./gate.ts";

const ASKED = "asked the game service for a person";
const NOT_ASKED = "did not ask the game service for a person: nothing was sent";

/**
 * `gate.send`, which logs each request that people asked for; the log adds the reference that they can quote. A request of
 * which no byte was written, because it was withdrawn or refused before, is not logged as one that was made.
 */
export function loggedSend(
  gate: Pick<Gate, "send">,
  { clock, log }: { readonly clock: Pick<Clock, "monotonicMs">; readonly log: Log | undefined },
): Gate["send"] {
  const logged: Gate["send"] = async (exchange) => {
    const startMs = clock.monotonicMs();
    const { source, route } = exchange;
    let wasWritten = false;
    const onWritten = () => {
      wasWritten = true;
      exchange.onWritten?.();
    };
    const note = (outcome: string) => {
      const tookMs = Math.round(clock.monotonicMs() - startMs);
      log?.info({ source, route, outcome, tookMs }, wasWritten ? ASKED : NOT_ASKED);
    };
    try {
      const answered = await gate.send({ ...exchange, onWritten });
      note("ok");
      return answered;
    } catch (error) {
      note(error instanceof Failure ? error.code : "defect");
      throw error;
    }
  };
  return (exchange) => (currentRequest() === undefined ? gate.send(exchange) : logged(exchange));
}
