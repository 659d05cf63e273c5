import { md } from "../../domain/escaped.ts";
import type { MessageBody } from "../../domain/message.ts";
import { escapeMarkdown, inlineName } from "./escape.ts";
import { waitEnd } from "./fine-print.ts";
import { beyondWrongKey } from "./key-refusal.ts";
import { PASTE_NEW_KEY } from "./setup-cards.ts";

/** Notices of the service for guilds, in their notice channel. Pure. */

/** The service does not accept a key any more: nothing of this server is read until it is linked again. */
function keyParkedNotice(serverName: string, why: string): MessageBody {
  const more = beyondWrongKey(why);
  const inBrackets = more === "" ? md`` : md` (${escapeMarkdown(more.replace(/\.$/, ""))})`;
  return {
    content: md`🔑 The server key of **${inlineName(serverName)}** is wrong or expired${inBrackets}. Its logs and commands are paused until the key works. Copy the current key from the game's settings, then use \`/setup link\` on your Discord server.`,
    rows: [[PASTE_NEW_KEY]],
  };
}

/** The service had refused a key by mistake: an hour later it took it again. */
function keyTakenAgainNotice(serverName: string): MessageBody {
  return {
    content: md`🔑 The server key of **${inlineName(serverName)}** works again. Logs and commands are back.`,
  };
}

/** Other servers' keys were refused, so this one waits for its turn although nothing is wrong with it. */
function keyWaitsNotice(serverName: string, untilMs: number): MessageBody {
  return {
    content: md`⏳ **${inlineName(serverName)}** waits until about <t:${Math.ceil(untilMs / 1_000)}:t>: the game service refused several other servers' keys, and Marshal must not get banned. Its logs and commands are paused. You don't need to do anything: it continues by itself and posts what the game's log still shows.`,
  };
}

function keyGoesOnNotice(serverName: string): MessageBody {
  return { content: md`✅ **${inlineName(serverName)}** is back. Logs and commands work again.` };
}

/** The key is good, but the service does not let this bot read the server. */
function readRefusedNotice(serverName: string, why: string): MessageBody {
  return {
    content: md`🚧 The game service does not let Marshal read **${inlineName(serverName)}** (${escapeMarkdown(why)}). Its key is fine and commands still work, but its logs are paused. The owner should check the game's API settings. Marshal tries again in an hour.`,
  };
}

/** The service blocks the whole host, so no server is read. */
function blockedNotice(untilMs: number): MessageBody {
  return {
    content: md`⛔ The game service is blocking Marshal. Next try: ${waitEnd(untilMs)}. What the game's log still shows then is posted. Marshal's host knows.`,
  };
}

function resumedNotice(): MessageBody {
  return { content: md`✅ The game service is back. Logs and commands work again.` };
}

/** The notices of the service. */
export const serviceWords = {
  keyParked: keyParkedNotice,
  keyTakenAgain: keyTakenAgainNotice,
  keyWaits: keyWaitsNotice,
  keyGoesOn: keyGoesOnNotice,
  readRefused: readRefusedNotice,
  blocked: blockedNotice,
  resumed: resumedNotice,
};

/** The notices of the bot itself, where guilds lose something. */
export const readinessWords = {
  /** What Marshal would post or run cannot be written down, so it does neither. */
  storeStuck: (): MessageBody => ({
    content: md`⛔ Marshal can't write to its database. Logs and commands are paused until its host fixes that. Then it posts what the game's log still shows and says what is missing.`,
  }),
  storeBack: (): MessageBody => ({
    content: md`✅ Marshal's database works again. Logs and commands are back.`,
  }),
  /** All that was stored is gone: nobody's set-up is known any more. */
  storeNew: (): MessageBody => ({
    content: md`⛔ Marshal has lost its data. No game server is linked and nothing is posted. If its host restores a backup, all is as before. If not, set it up again with \`/setup start\`.`,
  }),
  /** No command arrives; feeds go on, because they need no gateway. */
  shardAway: (): MessageBody => ({
    content: md`⚠️ Marshal lost its connection to Discord. Commands and buttons do nothing right now. Logs are still posted.`,
  }),
  shardBack: (): MessageBody => ({ content: md`✅ Commands and buttons work again.` }),
};
