import { reads, textOf } from "../e2e/read.ts";
import { E2eRig } from "../e2e/rig.ts";

/** How long an alert takes from the answer of the service that showed its last row to Discord, by the machine's clock. */

const SPREES = 15;
/** So far apart that each is a message of its own. */
const APART_MS = 3_500;

export interface PostedMeasured {
  readonly sprees: number;
  /** Of each, seconds. */
  readonly seconds: readonly number[];
}

/** The real bot in this process, over loopback, at the pace of the machine. */
export async function measurePosting(): Promise<PostedMeasured> {
  const rig = await E2eRig.start({ speed: 1 });
  try {
    await rig.link();
    const { owner, general, guild } = rig.home;
    const channel = guild.addChannel({ name: "alerts" });
    const options = { kind: "kills", threshold: "5 in 10 s", channel };
    await reads(await owner.slash(general, "alert add", options), /Alert added/);
    await rig.polled("KillLogs");
    const victim = rig.town.join("Victim");
    const seconds: number[] = [];
    for (let nth = 0; nth < SPREES; nth += 1) {
      const raider = rig.town.join(`Raider${nth}`);
      const from = rig.service.answered.length;
      for (let kill = 0; kill < 5; kill += 1) rig.town.kill(raider, victim);
      const shownMs = await rig.until("an answer with the kills", () =>
        rig.service.answered
          .slice(from)
          .some(({ path, status }) => status === 200 && path.includes("KillLogs"))
          ? performance.now()
          : undefined,
      );
      await rig.until("the alert", () =>
        rig.discord.messages(channel).some((message) => textOf(message).includes(`Raider${nth}`)),
      );
      seconds.push((performance.now() - shownMs) / 1_000);
      await rig.clock.sleep(APART_MS);
    }
    return { sprees: SPREES, seconds };
  } finally {
    await rig.close();
  }
}
