import type { SourceId } from "../domain/model.ts";
import type { ServiceEvent } from "../domain/ports/service-health.ts";
import type { AdmissionParts } from "./admission.ts";
import type { CarrierParts } from "./carrier.ts";
import type { KeyErrandsParts } from "./keys/key-errands.ts";
import type { SharingParts } from "./shared/sharing.ts";

/** What a gate is built of. */
export interface GateOptions
  extends Pick<CarrierParts, "transport" | "clock" | "metrics" | "desk" | "globalKey" | "deadlineMs">,
    Pick<AdmissionParts, "guard" | "connections" | "permit">,
    Pick<KeyErrandsParts, "keyOf" | "sources" | "usesEarlierKeys"> {
  /** Unguessable; bucket names are hashed with it. The same in processes that share. */
  readonly salt: string;
  /** Where several processes ask from one address. @default this one is alone */
  readonly sharing?:
    | Pick<SharingParts, "limits" | "log" | "budget" | "wave" | "records" | "demand">
    | undefined;
  readonly onEvent: (event: ServiceEvent) => void;
  /** The halt or the standing of keys changed and must be kept. */
  readonly onHaltChanged: () => void;
  readonly onRejectedChanged: (source: SourceId) => void;
  /** The service takes a parked key again. */
  readonly onTakenAgain: (source: SourceId) => void;
}
