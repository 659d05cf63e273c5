import { join } from "node:path";
import type { DutyType } from "../../src/domain/duty.ts";
import type { PlayerRef } from "../../src/domain/model.ts";
import { NO_SETUP, setupRow } from "../../src/duty/duty-rows.ts";
import { openDatabase } from "../../src/history/database/open-database.ts";
import { openContext } from "../../src/history/queries/context.ts";
import { write } from "../../src/history/queries/duty.ts";
import { parseGuildAccounts } from "../../src/runs/accounts/account-record.ts";
import type { Permission } from "../../src/sandbox/discord/permissions.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Community } from "./communities.ts";

const ROLE = "On duty";
const MAY: readonly Permission[] = [
  "ViewChannel",
  "SendMessages",
  "EmbedLinks",
  "AttachFiles",
  "ReadMessageHistory",
  "ManageRoles",
];

interface OnDuty {
  readonly communities: readonly Community[];
  /** Who of the staff plays, by community. */
  readonly staff: readonly (readonly Required<PlayerRef>[])[];
}

/** What communities would have set up that keep duty: a type by presence with a channel and a role, and staff who have linked. */
export async function keepDuty(
  folder: string,
  storeUrl: string,
  { communities, staff }: OnDuty,
): Promise<void> {
  const store = await openStore(storeUrl, { runsIn: "caller" });
  const history = await openDatabase(`sqlite:${join(folder, "history.sqlite")}`);
  try {
    const accounts = store.documents("game-accounts", parseGuildAccounts, "normal");
    const context = await openContext(history, new Uint8Array(32));
    for (const [index, { guild, general }] of communities.entries()) {
      const role = guild.addRole({ name: ROLE });
      guild.setBotPermissions(MAY);
      guild.raiseBot();
      const linked = (staff[index] ?? []).map((player, nth) => ({
        userId: guild.addMember({ name: `Staff ${index} ${nth}` }).id,
        player,
        linkedAtMs: 0,
      }));
      await accounts.set(guild.id, { accounts: linked });
      const type: DutyType = {
        id: "staff",
        name: "Staff",
        start: "presence",
        teams: [],
        channelId: general.id,
        roleId: role.id,
        sinceS: 0,
      };
      await write(context, { put: [setupRow(guild.id, { ...NO_SETUP, types: [type] })] });
    }
  } finally {
    await history.close();
    await store.close();
  }
}

/** How many people hold the role of those on duty. */
export function onDuty(communities: readonly Community[]): number {
  const members = communities.flatMap(({ guild }) => guild.members);
  return members.filter(({ roles }) => roles.some(({ name }) => name === ROLE)).length;
}
