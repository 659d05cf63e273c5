import type { Failure } from "../failure.ts";
import type { SourceId } from "../model.ts";
import type { KnownPermission } from "./command-permission.ts";

/** What the gate knows, for people and for /state. */
export interface ServiceHealth {
  /** Epoch milliseconds until which nothing is sent, and why; `message` is the answer that caused it, in a sentence. */
  halt():
    | {
        readonly untilMs: number;
        readonly why: "rate-limited" | "blocked";
        readonly message?: string;
      }
    | undefined;
  /** A key that the service rejected is parked until it is linked again. */
  parked(source: SourceId): { readonly sinceMs: number; readonly why: string } | undefined;
  /** A key that is in no doubt itself waits until then, epoch milliseconds, because too many others were refused. */
  held(source: SourceId): { readonly untilMs: number } | undefined;
  /** The key is good, and the service does not let this bot read the server: why, and when it is asked again. */
  readRefused(source: SourceId): { readonly why: string; readonly untilMs: number } | undefined;
  /** Whether the owner lets this bot run commands, as far as answers have shown. */
  commandPermission(source: SourceId): KnownPermission;
  /** When a command of this source could be sent, epoch milliseconds; now or earlier when it may be sent at once. */
  commandReadyAtMs(source: SourceId): number;
}

/** What keeps everything from being sent, for people who ask why something waits. */
export const HALTED = {
  "rate-limited": "The game service asked Marshal to wait",
  blocked: "The game service is blocking Marshal",
} as const;

/**
 * The halt that lasts at `nowMs`, epoch milliseconds. The client's own stays after its time until a request has shown
 * that it is over, as after each unclean stop; what is due then may be tried, since the gate lets one request find out.
 */
export function haltAt(
  health: Pick<ServiceHealth, "halt">,
  nowMs: number,
): ReturnType<ServiceHealth["halt"]> {
  const halt = health.halt();
  return halt === undefined || halt.untilMs <= nowMs ? undefined : halt;
}

/** Nothing new comes from the server before that is mended, so its logs stand still. */
export function isStill(health: ServiceHealth, source: SourceId): boolean {
  return [health.parked(source), health.held(source), health.readRefused(source)].some(
    (trouble) => trouble !== undefined,
  );
}

/** The budget of requests with refused keys, for the operator. */
export interface BadKeys {
  readonly refusedLastHour: number;
  readonly most: number;
  /** Keys in no doubt themselves that wait because others were refused. */
  readonly waitingKeys: number;
  /** Nothing at all is asked before, epoch milliseconds; undefined while something may be. */
  readonly spentUntilMs: number | undefined;
  /** For how much of the last minute requests waited for the budget that the limits would have let go, 0 to 1. */
  readonly waitShare: number;
}

/** An event of the service as a whole or of one key, for the operator's log and for guilds. */
export type ServiceEvent =
  | {
      readonly kind: "halted";
      readonly untilMs: number;
      readonly why: "rate-limited" | "blocked";
      readonly message: string;
    }
  | { readonly kind: "resumed" }
  | { readonly kind: "key-parked"; readonly source: SourceId; readonly failure: Failure }
  /** A parked key was asked once more, and the service takes it. */
  | { readonly kind: "key-taken-again"; readonly source: SourceId }
  /** The key is good, but the service does not let this bot read the server: announced once, asked again rarely. */
  | { readonly kind: "read-refused"; readonly source: SourceId; readonly failure: Failure }
  | { readonly kind: "global-key-rejected" }
  | { readonly kind: "shared-limits"; readonly bucketHash: string }
  /** The budget of bad keys, and not a limit of the service, is what requests wait for most of the time. */
  | { readonly kind: "budget-holds"; readonly most: number };
