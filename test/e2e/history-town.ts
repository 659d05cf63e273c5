import { Asking } from "./asking.ts";
import { type E2eOptions, E2eRig } from "./rig.ts";

/** Kills between two looks: less than the log shows at a time, so that feeds miss none. */
const KILLS_AT_ONCE = 60;
const LOOKS = 5;
/** In `busyWhileAway`. */
const KILLS_WHILE_AWAY = LOOKS * KILLS_AT_ONCE;

export type HistoryTown = Awaited<ReturnType<typeof startHistoryTown>>;

/** A town whose history has recorded one kill of Ann's, with a feed of joins: what a failing history must not hurt. */
export async function startHistoryTown(options: E2eOptions = {}) {
  const rig = await E2eRig.start(options);
  try {
    await rig.link();
    const joins = await rig.feed("joins");
    const ann = rig.town.join("AnnLee", 9_000_000_001);
    const bob = rig.town.join("BobRay", 9_000_000_002);
    rig.town.kill(ann, bob);
    await rig.polled("KillLogs", "Players");
    const mod = new Asking(() => rig);
    await mod.comesToRead("player show", { player: "AnnLee" }, /Kills · 1/);

    /** More happens than the log still shows later, and the feed posts it as ever. */
    const busyWhileAway = async (): Promise<void> => {
      for (let look = 0; look < LOOKS; look += 1) {
        for (let kill = 0; kill < KILLS_AT_ONCE; kill += 1) rig.town.kill(ann, bob);
        rig.town.join(`Late${look}`, 9_000_000_100 + look);
        await rig.posted(joins, `Late${look}`);
        await rig.polled("KillLogs");
      }
    };

    /** What the log shows no longer was kept by the journal: all kills are there, the one from before and one of now. */
    const knowsAll = async (): Promise<void> => {
      const kills = 1 + KILLS_WHILE_AWAY;
      await mod.comesToRead("player show", { player: "AnnLee" }, new RegExp(`Kills · ${kills}\\b`));
      rig.town.kill(bob, ann);
      await mod.comesToRead("player show", { player: "BobRay" }, /Kills · 1\b/);
    };
    return { rig, joins, mod, busyWhileAway, knowsAll };
  } catch (error) {
    await rig.close();
    throw error;
  }
}
