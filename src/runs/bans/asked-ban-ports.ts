import type { AskedBan } from "../../domain/asked-ban.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Random } from "../../domain/ports/clock.ts";
import type { Demands } from "../../domain/ports/demands.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { Members } from "../../domain/ports/members.ts";
import type { RunRenderer } from "../../domain/ports/run-renderer.ts";
import type { Runner } from "../../domain/ports/runner.ts";
import type { LateOutcomes } from "../audit/late-outcomes.ts";
import type { AskedCheckPorts } from "./asked-checks.ts";
import type { AskedEndsPorts } from "./asked-ends.ts";

/** What the book of asked bans gets. */
export interface AskedBanPorts extends AskedCheckPorts, Omit<AskedEndsPorts, "renderer"> {
  /** With `parseAskedBan`; durable. */
  readonly documents: Documents<AskedBan>;
  readonly members: Members;
  readonly audit: Pick<AuditLog, "get">;
  readonly runner: Pick<Runner, "plan" | "submit">;
  readonly late: Pick<LateOutcomes, "post">;
  readonly renderer: AskedEndsPorts["renderer"] & Pick<RunRenderer, "askedBanUnsure">;
  readonly demands: Demands;
  readonly random: Random;
  readonly isStoreInDoubt: boolean;
  /** The store was put back from an older copy: what was answered since is not in it. @default false */
  readonly isOlderCopy?: boolean | undefined;
  owns(guildId: string): boolean;
}
