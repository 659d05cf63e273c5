import type {
  CommandEntry,
  EmergencyCall,
  JoinEntry,
  KillEntry,
  ModCallEntry,
  PlayerRef,
} from "../../domain/model.ts";

/** A guild that has the server linked. */
export interface Link {
  readonly guildId: string;
  readonly bindingId: string;
  /** Epoch seconds; what happened before is none of this guild's. */
  readonly linkedAtS: number;
}

/** What is to be stored of one log: of each second in which something is new, all rows that the window has of it. */
export interface LogRows<T> {
  readonly rows: readonly T[];
  /** No row of the window was in the window before: something between them may have been missed. */
  readonly isUnshared: boolean;
  /** Of the whole window. */
  readonly oldestS: number;
  readonly newestS: number;
  readonly length: number;
}

/** A command, and the names at which it aims. */
export type AimedCommand = CommandEntry & { readonly targets: readonly string[] };

/** What one answer of the service brings, as it crosses to the worker. */
export interface RecordedAnswer {
  readonly links: readonly Link[];
  /** When it was answered, by the service's clock where that is known. */
  readonly atS: number;
  readonly playerCount: number;
  readonly players?: readonly { readonly player: PlayerRef; readonly permission: string }[];
  readonly queue?: number;
  readonly emergencyCalls?: readonly EmergencyCall[];
  /** The newest row of the join log, whatever of it is new; absent where it is empty or was not asked for. */
  readonly newestJoinS?: number;
  readonly joins?: LogRows<JoinEntry>;
  readonly kills?: LogRows<KillEntry>;
  readonly commands?: LogRows<AimedCommand>;
  readonly modCalls?: LogRows<ModCallEntry>;
}
