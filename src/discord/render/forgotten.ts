import { joined, md } from "../../domain/escaped.ts";
import type { Forgotten } from "../../domain/history.ts";
import type { MessageBody } from "../../domain/message.ts";
import { inlineName } from "./escape.ts";

/** What went when a player was erased, what did not, and how to have that go too. Pure. */
export function forgottenMessage(forgotten: Forgotten): MessageBody {
  const { player, names, visits, kills, commands, calls, blankedCommands, untilS } = forgotten;
  const blanked =
    blankedCommands === 0
      ? md``
      : md` In ${blankedCommands} ${blankedCommands === 1 ? "command" : "commands"} of others the name is blanked.`;
  return {
    content: joined(
      [
        md`✅ **${inlineName(player.name)}** is erased: ${visits} joins and leaves, ${kills} kills and deaths, ${commands} commands, ${calls} calls, ${names} ${names === 1 ? "name" : "names"}.${blanked}`,
        md`It stays erased: the game shows some of it for a while, but nothing up to <t:${untilS}:f> is recorded again.`,
        md`What stays: cases, the audit, and messages that stand in channels. Delete those by hand; for cases, revoke or edit them.`,
      ],
      "\n",
    ),
  };
}
