import type { DutyRoster } from "../domain/duty-roster.ts";
import { Failure } from "../domain/failure.ts";
import type { Snapshot, SourceId } from "../domain/model.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Duty } from "../domain/ports/duty.ts";
import type { DutyRenderer } from "../domain/ports/duty-renderer.ts";
import type { DutyStore } from "../domain/ports/duty-store.ts";
import type { GameAccounts } from "../domain/ports/game-accounts.ts";
import type { GrantableRoles, MemberRoles } from "../domain/ports/member-roles.ts";
import type { Members } from "../domain/ports/members.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { Posts } from "../domain/ports/posts.ts";
import type { Snapshots } from "../domain/ports/snapshots.ts";
import type { Staffing } from "../domain/ports/staffing.ts";
import { DutyBook } from "./duty-book.ts";
import { DutyDesk } from "./duty-desk.ts";
import { DutyPosts } from "./duty-posts.ts";
import { DutyRoles } from "./duty-roles.ts";
import { DutyWatch } from "./duty-watch.ts";
import { hasOtherManager, type OtherManagersPorts } from "./other-managers.ts";
import { QuotaResets } from "./quota-resets.ts";
import { rolesWanted, rosterOf } from "./settle.ts";
import { StaffRoles } from "./staff-roles.ts";
import { StaffingDesk } from "./staffing-desk.ts";
import { WorkRecords } from "./work-records.ts";

export interface DutyPorts {
  readonly store: DutyStore;
  readonly accounts: Pick<GameAccounts, "list">;
  readonly bindings: Pick<Bindings, "linkedOf" | "guildsOf" | "list">;
  readonly snapshots: Pick<Snapshots, "latest">;
  readonly members: Members;
  /** Whether these roles and rights make a Manager, who decides about leave. */
  readonly isManager: OtherManagersPorts["isManager"];
  readonly clock: Clock;
  readonly random: Random;
  /** The database is an older copy that was put back: what was said since it was made is not in it. */
  readonly isCopy: boolean;
  readonly roles: MemberRoles;
  readonly grantable: GrantableRoles;
  readonly roster: DutyRoster;
  readonly posts: Posts;
  readonly renderer: DutyRenderer;
  readonly notifier: Pick<Notifier, "guild" | "person">;
  /** False where the guild has turned its history off. */
  isRecorded(guildId: string): Promise<boolean>;
  /** Whether this process serves a guild. */
  isOurs(guildId: string): boolean;
  /** IANA name. */
  zoneOf(guildId: string): Promise<string>;
  report(what: string, error: unknown): void;
}

export interface DutyWing {
  readonly duty: Duty;
  readonly staffing: Staffing;
  /** From now on the lists of quotas are kept when their periods end. */
  start(): void;
  /** An answer, before the history has it. Waits for nothing. */
  take(look: Snapshot): void;
  /** The history has what was looked at up to now. */
  onRecorded(source: SourceId): void;
  /** The history has forgotten a player, with what duty kept of them. */
  onForgotten(guildId: string, playerId: number): void;
  /** Somebody linked an account, or unlinked theirs. */
  onAccountsChanged(guildId: string): void;
  /** Resolves when what was begun is written. */
  idle(): Promise<void>;
  /** Begins nothing more, and waits for what is being written. */
  stop(): Promise<void>;
}

/** Who is on duty, and who was: by what staff say and what the history has. Starts nothing. */
export function createDuty(ports: DutyPorts): DutyWing {
  const nowS = () => Math.floor(ports.clock.nowMs() / 1_000);
  const book = new DutyBook({ ...ports, nowS });
  const roles = new DutyRoles({
    ...ports,
    onRefused(guildId, roleId) {
      void ports.notifier.guild(guildId, ports.renderer.roleRefused(roleId));
    },
  });
  const logs = new DutyPosts({ ...ports, book });
  const desk: DutyDesk = new DutyDesk({
    ...ports,
    book,
    nowS,
    onSettled(guildId, settled, types) {
      ports.roster.set(guildId, rosterOf(settled));
      void roles.want(guildId, rolesWanted(settled, types));
      void logs.onSettled(guildId, settled, types);
      watch.onSettled(guildId, settled);
    },
    onSeen: (actor) => void roles.onSeen(actor),
  });
  const watch: DutyWatch = new DutyWatch({ ...ports, book, desk, nowS });
  const records = new WorkRecords({
    store: ports.store,
    book,
    roles: new StaffRoles(ports.members, ports.clock),
    settled: (guildId) => desk.refresh(guildId, async () => undefined),
  });
  const staffing = new StaffingDesk({
    ...ports,
    book,
    records,
    nowS,
    keepResult: (guildId, channelId, result) => logs.keepResult(guildId, channelId, result),
    isOwner: (guildId, userId) => ports.grantable.isOwner(guildId, userId),
    mayOthersDecide: (actor) => hasOtherManager(ports, actor),
  });
  const resets = new QuotaResets({ ...ports, book, desk, staffing });
  // Whose account is gone is not on duty any more, whenever the next look is.
  let settlingAccounts: Promise<unknown> = Promise.resolve();
  const settleAccounts = async (guildId: string) => {
    await book.onAccountsChanged(guildId);
    if ((await desk.types(guildId)).length > 0) await desk.refresh(guildId, async () => undefined);
  };
  return {
    duty: desk,
    staffing,
    start: () => resets.start(),
    take: (look) => watch.take(look),
    onRecorded: (source) => watch.onRecorded(source),
    onForgotten: (guildId, playerId) => watch.onForgotten(guildId, playerId),
    onAccountsChanged(guildId) {
      const settled = settleAccounts(guildId).catch((error: unknown) => {
        // Where its database is away, the next look works them out.
        if (!(error instanceof Failure))
          ports.report("shifts of unlinked accounts could not be ended", error);
      });
      settlingAccounts = Promise.all([settlingAccounts, settled]).then(() => undefined);
    },
    async idle() {
      await settlingAccounts;
      await watch.idle();
      await roles.idle();
    },
    async stop() {
      resets.stop();
      roles.stop();
      await settlingAccounts;
      await watch.stop();
      // What an end of the process cut off would be posted by nobody: the shift is over for good by then.
      await logs.idle();
    },
  };
}
