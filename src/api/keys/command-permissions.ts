import type { Failure } from "../../domain/failure.ts";
import type { SourceId } from "../../domain/model.ts";
import {
  type KnownPermission,
  knownRefusal,
  type PermissionCheck,
} from "../../domain/ports/command-permission.ts";

/** Several 403 for one key are to be avoided (spec: Errors 4), so what was refused is refused from memory so long. */
const REFUSED_FOR_MS = 30 * 60_000;
const CHECK_EVERY_MS = 30_000;
const CHECKS_AN_HOUR = 6;
const HOUR_MS = 3_600_000;

/** What is kept over a restart. */
export interface StoredCommandPermission {
  readonly state: "allowed" | "refused";
  /** An empty command was refused for want of the permission: the service looks at that before it looks at the body. */
  readonly byCheck: boolean;
  readonly why: string;
  readonly serviceCode?: number | undefined;
  readonly sinceMs: number;
  /** What was left of the time in which nothing is sent, when it was written, and its end, epoch milliseconds. */
  readonly leftMs: number;
  readonly untilMs: number;
}

interface Known {
  readonly state: "allowed" | "refused";
  readonly byCheck: boolean;
  readonly why: string;
  readonly serviceCode: number | undefined;
  readonly sinceMs: number;
  /** Monotonic milliseconds. */
  readonly sendAgainMs: number;
}

interface Now {
  readonly ms: number;
  readonly wallMs: number;
}

/** Whose owners let this host run commands, as the answers have shown. Time comes in by arguments. */
export class CommandPermissions {
  readonly #known = new Map<SourceId, Known>();
  readonly #checkedAtMs = new Map<SourceId, readonly number[]>();
  #isPermissionFirst = false;

  /** Why a command is not sent; undefined: it may be. */
  refusal(source: SourceId, nowMs: number): Failure | undefined {
    const known = this.#known.get(source);
    if (known?.state !== "refused" || nowMs >= known.sendAgainMs) return undefined;
    return knownRefusal(known.sinceMs, known.serviceCode);
  }

  of(source: SourceId, now: Now): KnownPermission {
    const known = this.#known.get(source);
    if (known === undefined) return { kind: "unknown" };
    if (known.state === "allowed") return { kind: "allowed" };
    const untilMs = Math.ceil(now.wallMs + Math.max(0, known.sendAgainMs - now.ms));
    return { kind: "refused", why: known.why, sinceMs: known.sinceMs, untilMs };
  }

  /** A command ran. True: that was not known. */
  onRan(source: SourceId, now: Now): boolean {
    const known = this.#known.get(source);
    if (known?.state === "allowed") return false;
    const none = { why: "", serviceCode: undefined, sinceMs: now.wallMs, sendAgainMs: now.ms };
    this.#known.set(source, { ...none, state: "allowed", byCheck: known?.byCheck ?? false });
    return true;
  }

  /** True: it was refused for want of the permission. `isCheck`: an empty command was. */
  onRefused(source: SourceId, failure: Failure, now: Now & { readonly isCheck?: boolean }): boolean {
    const { code, serviceCode, message } = failure;
    // Another code restricts something else than all commands of this host.
    if (code !== "not-authorised" || (serviceCode !== 4000 && serviceCode !== undefined)) return false;
    const before = this.#known.get(source);
    const isCheck = now.isCheck ?? false;
    this.#isPermissionFirst ||= isCheck;
    this.#known.set(source, {
      state: "refused",
      byCheck: isCheck || (before?.byCheck ?? false),
      why: message,
      serviceCode,
      sinceMs: before?.state === "refused" ? before.sinceMs : now.wallMs,
      sendAgainMs: now.ms + REFUSED_FOR_MS,
    });
    return true;
  }

  /** Takes one of the checks; a number: none is left before, monotonic milliseconds. */
  takeCheck(source: SourceId, nowMs: number): number | undefined {
    const lately = this.#checkedLately(source, nowMs);
    const last = lately.at(-1);
    const sixth = lately.at(-CHECKS_AN_HOUR);
    const freeMs = Math.max(
      last === undefined ? nowMs : last + CHECK_EVERY_MS,
      sixth === undefined ? nowMs : sixth + HOUR_MS,
    );
    if (freeMs > nowMs) return freeMs;
    this.#checkedAtMs.set(source, [...lately, nowMs]);
    return undefined;
  }

  /** What the answer to an empty command shows; undefined: nothing of the permission. */
  judge(source: SourceId, failure: Failure, now: Now): PermissionCheck | undefined {
    if (this.onRefused(source, failure, { ...now, isCheck: true }))
      return { kind: "refused", left: CHECKS_AN_HOUR - this.#checkedLately(source, now.ms).length };
    if (failure.code === "bad-command" && this.#isPermissionFirst) {
      this.onRan(source, now);
      return { kind: "allowed" };
    }
    if (failure.code !== "bad-command" && failure.code !== "server-empty") return undefined;
    // It is no longer known to be refused, so the next command is sent and shows it.
    if (this.#known.get(source)?.state === "refused") this.#known.delete(source);
    return { kind: failure.code === "server-empty" ? "empty" : "unclear" };
  }

  #checkedLately(source: SourceId, nowMs: number): readonly number[] {
    return (this.#checkedAtMs.get(source) ?? []).filter((atMs) => nowMs - atMs < HOUR_MS);
  }

  /** True: something was known. */
  forget(source: SourceId): boolean {
    this.#checkedAtMs.delete(source);
    return this.#known.delete(source);
  }

  /** What is to be kept of it; undefined: nothing is known. */
  stored(source: SourceId, now: Now): StoredCommandPermission | undefined {
    const known = this.#known.get(source);
    if (known === undefined) return undefined;
    const { sendAgainMs, ...rest } = known;
    const leftMs = Math.max(0, sendAgainMs - now.ms);
    return { ...rest, leftMs, untilMs: now.wallMs + leftMs };
  }

  /** What an earlier process knew. A wall clock that was set back since then makes the wait no longer. */
  restore(source: SourceId, { leftMs, untilMs, ...stored }: StoredCommandPermission, now: Now): void {
    const waitMs = Math.min(leftMs, Math.max(0, untilMs - now.wallMs), REFUSED_FOR_MS);
    const { state, byCheck, why, serviceCode, sinceMs } = stored;
    this.#isPermissionFirst ||= byCheck;
    const sendAgainMs = now.ms + waitMs;
    this.#known.set(source, { state, byCheck, why, serviceCode, sinceMs, sendAgainMs });
  }
}
