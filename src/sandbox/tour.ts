import { openStage, type Stage } from "./stage.ts";
import { messageLines } from "./terminal.ts";
import { type Guide, NotSeen, SETTLE_MS } from "./tour-guide.ts";
import { MAP_STEP } from "./tour-map.ts";
import { TOUR_STEPS } from "./tour-steps.ts";

export interface TourOptions {
  readonly seed: number;
  /** Takes each finished line, without its break. */
  write(line: string): void;
}

function guideOf(stage: Stage, write: (line: string) => void): Guide {
  return {
    stage,
    say: (text) => write(`   ${text}`),
    show(message) {
      const where =
        message.ephemeralFor === undefined
          ? `#${message.channel.name}`
          : `#${message.channel.name}, only they see it`;
      write(`   ┌ Marshal in ${where}`);
      for (const line of messageLines(message, Date.now())) write(`   │ ${line}`);
      write("   └");
    },
    async seen(what, probe) {
      try {
        return await stage.discord.until(probe, SETTLE_MS);
      } catch {
        throw new NotSeen(what);
      }
    },
  };
}

/**
 * A scripted tour through the real bot, printed as text: each step is looked for in the emulated Discord.
 * Answers the exit code: 0 only when every step was seen.
 */
export async function tour({ seed, write }: TourOptions): Promise<number> {
  const stage = await openStage({
    seed,
    serverKey: `tour${seed}-sandbox`,
    traffic: "quiet",
    live: true,
    commands: "refused",
  });
  stage.town.pause();
  for (let players = 0; players < 5; players += 1) stage.town.join();
  const guide = guideOf(stage, write);
  write(
    "Marshal on this machine: an emulated game service, an emulated Discord, and the real bot between them.",
  );
  let at = "";
  try {
    const steps = [...TOUR_STEPS, MAP_STEP];
    for (const [index, { title, run }] of steps.entries()) {
      at = `${index + 1}. ${title}`;
      write("");
      write(at);
      await run(guide);
    }
    write("");
    write(`All ${steps.length} steps were seen.`);
    return 0;
  } catch (error) {
    write("");
    write(`Not seen in step ${at}: ${error instanceof Error ? error.message : String(error)}`);
    for (const line of stage.bot.lines.slice(-15)) write(`   bot: ${line}`);
    return 1;
  } finally {
    await stage.close();
  }
}
