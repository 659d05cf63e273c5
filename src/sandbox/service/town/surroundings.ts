import type { PlayerRef } from "./record.ts";
import type { World } from "./world.ts";

/** Commands that change the town and nobody in it. */

/** One command of somebody. */
export interface Given {
  readonly world: World;
  readonly actor: PlayerRef;
  readonly text: string;
}

/** Does the work and says what it did in words, or nothing when an argument is missing. */
export type Handler = (given: Given) => string | undefined;

/** A handler that needs a number of seconds. */
function timer(set: (world: World, seconds: number) => void, did: string): Handler {
  return ({ world, text }) => {
    const seconds = Number(text.trim() === "" ? Number.NaN : text);
    if (!Number.isFinite(seconds) || seconds < 0) return undefined;
    set(world, seconds);
    return `${did} ${seconds} seconds.`;
  };
}

const FIRES: ReadonlySet<string> = new Set(["house", "brush", "building", "dumpster"]);

/** Of a kind that the game has, or of any. `near`: beside whoever typed it, so nowhere without a body. */
function fire({ near }: { readonly near: boolean }): Handler {
  return ({ world, actor, text }) => {
    const kind = text.trim().split(/\s/)[0]?.toLowerCase() ?? "";
    if (kind !== "" && !FIRES.has(kind)) return undefined;
    if (!near || world.find(actor.id)) world.environment.fires += 1;
    return "Started a fire.";
  };
}

/** By verb. */
export const SURROUNDINGS: Readonly<Record<string, Handler>> = {
  weather: ({ world, text }) => {
    if (text.trim() === "") return undefined;
    world.environment.weather = text.trim();
    return `Weather is ${world.environment.weather}.`;
  },
  time: ({ world, text }) => {
    if (text.trim() === "") return undefined;
    world.environment.time = text.trim();
    return `Time is ${world.environment.time}.`;
  },
  prty: timer((world, seconds) => {
    world.environment.priorityTimerS = seconds;
  }, "Priority timer set to"),
  pt: timer((world, seconds) => {
    world.environment.peaceTimerS = seconds;
  }, "Peace timer set to"),
  startfire: fire({ near: false }),
  startnearfire: fire({ near: true }),
  stopfire: ({ world }) => {
    world.environment.fires = 0;
    return "Stopped all fires.";
  },
  loadlayout: ({ world, text }) => {
    if (text.trim() === "") return undefined;
    world.environment.layout = text.trim();
    return `Loaded the layout ${world.environment.layout}.`;
  },
  unloadlayout: ({ world }) => {
    world.environment.layout = null;
    return "Unloaded the layout.";
  },
};
