import type { BotProcess } from "../bot-process.ts";
import type { Lever } from "./lever.ts";

/** One button to kill and one to start each process, where several share a store. */
export function processLevers(bots: readonly BotProcess[]): readonly Lever[] {
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
