/** The expected failures, by codes that every wing shares. Any error that is not a Failure is a defect. */
export type FailureCode =
  | "not-linked"
  | "queue-full"
  | "expired"
  | "busy"
  | "denied"
  /** By now it would hit others than it was for. */
  | "target-changed"
  | "bad-command"
  | "key-rejected"
  | "not-authorised"
  | "read-refused"
  | "server-empty"
  | "rate-limited"
  | "blocked"
  | "platform"
  | "module-outdated"
  | "unreachable"
  | "bad-response"
  | "moved"
  | "store"
  | "paused";

/** Whether the work was done. "unknown": it may have been, so it must not be repeated. */
export type Ran = "yes" | "no" | "unknown";

/** A role of theirs with a tier; a server, where none is linked at all; their account in the game; another key than typed. */
type Wanted = "tier" | "server" | "account" | "key";

export interface UnsentCommand {
  readonly text: string;
  readonly serverName: string;
}

export interface FailureDetails {
  /** Whether the command ran. @default "no", because most failures happen before anything is sent */
  readonly ran?: Ran;
  /** When asking again makes sense, epoch milliseconds. */
  readonly retryAtMs?: number | undefined;
  /** The service's id of a command execution, to be quoted to its operators (spec: Command error). */
  readonly commandId?: string | undefined;
  /** The service's own error code (2001, 4000 ...), where it gave one. */
  readonly serviceCode?: number | undefined;
  /** A read failed, not a command, so texts say nothing of whether it ran. */
  readonly isRead?: boolean;
  /** What would mend it. */
  readonly wants?: Wanted | undefined;
  /** The linked server that it is about, where `wants` is of one. */
  readonly bindingId?: string | undefined;
  /** The command to the game that it keeps from being sent. */
  readonly command?: UnsentCommand | undefined;
  /** It repeats what an earlier answer has shown, epoch milliseconds: nothing was asked this time. */
  readonly knownSinceMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * An expected failure with a code that a person's text is chosen by.
 * `message` is plain English for logs and, escaped, for people; it never holds a key or a token.
 */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly ran: Ran;
  readonly retryAtMs: number | undefined;
  readonly commandId: string | undefined;
  readonly serviceCode: number | undefined;
  readonly isRead: boolean;
  readonly wants: Wanted | undefined;
  readonly bindingId: string | undefined;
  readonly command: UnsentCommand | undefined;
  readonly knownSinceMs: number | undefined;

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "Failure";
    this.code = code;
    this.ran = details.ran ?? "no";
    this.retryAtMs = details.retryAtMs;
    this.commandId = details.commandId;
    this.serviceCode = details.serviceCode;
    this.isRead = details.isRead ?? false;
    this.wants = details.wants;
    this.bindingId = details.bindingId;
    this.command = details.command;
    this.knownSinceMs = details.knownSinceMs;
  }
}

/** The store cannot be used, read or written; the message tells the operator why. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}

/** The same for now only: its server is away, starting or failing over. Waiting helps, where a wrong setting stays wrong. */
export class StoreAwayError extends StoreError {}

/**
 * Why Discord did not take a message, by Discord's own codes:
 * gone 10003/10008 · no-access 50001/50013 · closed 50083/160005 · dm-closed 50007/50278/10013/50033 ·
 * form 50035 · edit-limit 30046/20022 · no-history: the channel may be written but not read ·
 * rejected: any other 4xx ·
 * unknown: 5xx, timeout or a broken connection: the message may stand in the channel.
 */
export type SinkRefusalReason =
  | "gone"
  | "message-gone"
  | "no-access"
  | "closed"
  | "dm-closed"
  | "form"
  | "edit-limit"
  | "no-history"
  | "rejected"
  | "unknown";

/** What became of the request behind a refusal: Discord answered it, did not, or there was none. */
export type SinkRequest = "answered" | "unanswered" | "none";

/** Thrown by a Sink. Delivery decides by `reason`; only "unknown" may mean that the message is there. */
export class SinkRefusal extends Error {
  readonly reason: SinkRefusalReason;
  readonly retryAfterMs: number | undefined;
  readonly request: SinkRequest;

  /** `request`: by default one of unknown outcome had no answer, unless Discord named a wait. */
  constructor(
    reason: SinkRefusalReason,
    message: string,
    options: { retryAfterMs?: number; cause?: unknown; request?: SinkRequest } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "SinkRefusal";
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
    const isAnswered = reason !== "unknown" || options.retryAfterMs !== undefined;
    this.request = options.request ?? (isAnswered ? "answered" : "unanswered");
  }
}

/** What was asked of Discord is worth another attempt later, `atLeastMs` from now or whenever the sender likes. */
export class Postponed extends Error {
  readonly atLeastMs: number;

  constructor(message: string, atLeastMs = 0, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = "Postponed";
    this.atLeastMs = atLeastMs;
  }
}
