import { existsSync } from "node:fs";
import { writePast } from "../past.ts";
import type { Stage } from "../stage.ts";
import type { Lever } from "./lever.ts";
import type { LinkCodes } from "./link-code.ts";

const intensities = ["quiet", "normal", "busy", "frenzy"] as const;

/** What happens in the town, by hand. */
export function townLevers({ town, historyFile, service }: Stage, codes: LinkCodes): readonly Lever[] {
  const lever = (id: string, label: string, hint: string, pull: () => string): Lever => ({
    id,
    label,
    hint,
    pull,
    group: "town",
    isFault: false,
  });
  return [
    ...intensities.map((intensity) => ({
      ...lever(`traffic-${intensity}`, capital(intensity), `Traffic: ${intensity}`, () => {
        town.setIntensity(intensity);
        return `The town is ${intensity} now`;
      }),
      isOn: () => town.intensity === intensity,
    })),
    lever("join", "Three players join", "Three people come in at once", () => {
      const names = [town.join(), town.join(), town.join()].map(({ name }) => name);
      return `${names.join(", ")} came in`;
    }),
    lever("kill-spree", "Kill spree", "One player kills ten others within a second", () => {
      const done = town.killSpree(10);
      return done === 0 ? "Nobody is there to be killed" : `${done} kills at once`;
    }),
    lever("mod-call", "Mod call", "A player calls a moderator", () => {
      return `${nameIn(town.modCall().caller)} calls a moderator`;
    }),
    lever("answer-call", "Answer it", "A moderator in the game answers the newest open call", () => {
      const call = town.answerModCall();
      return call === undefined ? "No call is open" : `${nameIn(call.moderator ?? "")} answers the call`;
    }),
    lever(
      "hostile-name",
      "Hostile name",
      "Someone joins whose name tries to ping, link or break a line",
      () => {
        return `A player joined as ${JSON.stringify(town.hostileName().name)}`;
      },
    ),
    lever("emergency", "Emergency call", "Someone dials 911; units join, and it ends", () => {
      town.emergencyCall();
      return "Someone dialled 911";
    }),
    {
      ...lever("past", "Three weeks of past", "Fills the bot's history, so /stats has weeks to show", () => {
        const nowS = Math.floor(service.nowMs() / 1_000);
        const servers = writePast({ file: historyFile ?? "", nowS, seed: 1 });
        return servers === 0 ? "No server is linked yet" : "The server has a past of three weeks now";
      }),
      isDisabled: () => historyFile === undefined || !existsSync(historyFile),
    },
    lever("link-code", "Type the code of /me link", "Staff in the game type the newest code there", () =>
      codes.type(),
    ),
    lever("empty", "Empty the server", "Everyone leaves and nobody comes", () => {
      town.empty();
      return "Everyone left";
    }),
    lever("refill", "Refill", "Twelve players come in, and more after them", () => {
      town.setIntensity(town.intensity);
      for (let count = 0; count < 12; count += 1) town.join();
      return "Twelve players came in";
    }),
    lever("game-restart", "Restart the game server", "Everyone leaves, and its logs start over", () => {
      town.restart();
      return "The game server restarted: its logs are empty";
    }),
  ];
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** Of `name:id`, the name, which may hold colons itself. */
export function nameIn(ref: string): string {
  return ref.replace(/:\d+$/, "");
}
