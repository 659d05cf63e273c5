import { md } from "../../domain/escaped.ts";
import type { MessageBody } from "../../domain/message.ts";
import { escapeMarkdown, inlineName } from "./escape.ts";

/** Notices of the service for guilds, in their notice channel. Pure. */

/** The service does not accept a key any more: nothing of this server is read until it is linked again. */
function keyParkedNotice(serverName: string, why: string): MessageBody {
  return {
    content: md`🔑 The game service no longer accepts the key of **${inlineName(serverName)}** (${escapeMarkdown(why)}). Its log channels stand still and its commands are not sent. The owner copies the current key from the game's settings; \`/setup link\` takes it.`,
  };
}

/** The service had refused a key by mistake: an hour later it took it again. */
function keyTakenAgainNotice(serverName: string): MessageBody {
  return {
    content: md`🔑 The game service accepts the key of **${inlineName(serverName)}** again. Its log channels and commands go on; nobody has to do anything.`,
  };
}

/** Other servers' keys were refused, so this one waits for its turn although nothing is wrong with it. */
function keyWaitsNotice(serverName: string, untilMs: number): MessageBody {
  return {
    content: md`⏳ **${inlineName(serverName)}** waits until about <t:${Math.ceil(untilMs / 1_000)}:t>: the game service refused the keys of several other servers, and Marshal risks no ban. Its log channels stand still and its commands are not sent. Nobody has to do anything; what the game's log still shows then is posted.`,
  };
}

function keyGoesOnNotice(serverName: string): MessageBody {
  return { content: md`✅ **${inlineName(serverName)}** is read again. Log channels and commands go on.` };
}

/** The key is good, but the service does not let this bot read the server. */
function readRefusedNotice(serverName: string, why: string): MessageBody {
  return {
    content: md`🚧 The game service does not let Marshal read **${inlineName(serverName)}** (${escapeMarkdown(why)}). Its key is fine and commands are still sent, but its log channels stand still. The owner looks at the game's API settings; Marshal asks again after an hour, then ever more rarely.`,
  };
}

/** The service blocks the whole host, so no server is read. */
function blockedNotice(untilMs: number): MessageBody {
  const until = Math.ceil(untilMs / 1_000);
  return {
    content: md`⛔ The game service blocks Marshal, which asks again at <t:${until}:t>. What the game's log still shows then is posted. The operator of this bot has been told.`,
  };
}

function resumedNotice(): MessageBody {
  return { content: md`✅ The game service answers again. Log channels and commands go on.` };
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
    content: md`⛔ Marshal cannot write to its own store. Until its operator has mended that, log channels stand still and commands are not sent. Log entries are posted afterwards, as far as the game still shows them then; gaps are named.`,
  }),
  storeBack: (): MessageBody => ({
    content: md`✅ Marshal can write to its store again. Log channels and commands go on.`,
  }),
  /** No command arrives; feeds go on, because they need no gateway. */
  shardAway: (): MessageBody => ({
    content: md`⚠️ Marshal has lost its connection to Discord: commands and buttons get no answer here, and nothing of them was done. Log channels go on.`,
  }),
  shardBack: (): MessageBody => ({ content: md`✅ Marshal hears commands and buttons again.` }),
};
