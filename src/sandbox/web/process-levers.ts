import type { BotProcess } from "../bot-process.ts";
import type { Stage } from "../stage.ts";
import type { Lever } from "./lever.ts";

/** What can be done to the bot, or to each of its processes where several share a store. */
export function processLevers({ bot, bots }: Pick<Stage, "bot" | "bots">): readonly Lever[] {
  return bots.length > 1 ? leversOfEach(bots) : leversOf(bot);
}

/** One button to kill and one to start each. */
function leversOfEach(bots: readonly BotProcess[]): readonly Lever[] {
  return bots.flatMap((bot, index) => {
    const number = index + 1;
    const one = { group: "bot", isFault: false } as const;
    const kill: Lever = {
      ...one,
      id: `process-${number}-kill`,
      label: `kill -9 process ${number}`,
      hint: "It dies in the middle of whatever it does; another takes over when its lease is over",
      pull: async () => {
        await bot.kill();
        return `Process ${number} was killed`;
      },
      isDisabled: () => !bot.running,
    };
    const start: Lever = {
      ...one,
      id: `process-${number}-start`,
      label: `Start process ${number}`,
      hint: "It waits as standby, or serves if nobody does",
      pull: async () => {
        bot.start();
        return `Process ${number} starts`;
      },
      isDisabled: () => bot.running,
    };
    return [kill, start];
  });
}

function leversOf(bot: BotProcess): readonly Lever[] {
  const lever = (id: string, label: string, hint: string, pull: () => Promise<string>): Lever => ({
    id,
    label,
    hint,
    pull,
    group: "bot",
    isFault: false,
  });
  const isDown = () => !bot.running;
  return [
    {
      ...lever("bot-restart", "Restart", "It is asked to stop, and starts again", async () => {
        await bot.restart("stop");
        return "The bot stopped in order and starts again";
      }),
      isDisabled: isDown,
    },
    {
      ...lever(
        "bot-kill",
        "kill -9, then start",
        "It dies in the middle of whatever it does, and starts again",
        async () => {
          await bot.restart("kill");
          return "The bot was killed and starts again";
        },
      ),
      isDisabled: isDown,
    },
    {
      ...lever("bot-stop", "Stop", "It stays away until it is started", async () => {
        await bot.stop();
        return "The bot stopped";
      }),
      isDisabled: isDown,
    },
    {
      ...lever("bot-start", "Start", "It starts where it left off", async () => {
        bot.start();
        return "The bot starts";
      }),
      isDisabled: () => bot.running,
    },
  ];
}
