import { placeOn } from "../service/town/map.ts";
import type { Player } from "../service/town/player.ts";
import type { PlayerRef } from "../service/town/record.ts";
import type { Stage } from "../stage.ts";
import type { Lever } from "./lever.ts";

/** Who works, and who only plays. Both have the rank of a moderator in the game. */
const DANA: PlayerRef = { name: "Dana_Duty", id: 9_000_000_881 };
const PAUL: PlayerRef = { name: "Paul_Plays", id: 9_000_000_882 };

/** What staff does about shifts; to be linked first: `/me link member: player: Dana_Duty`. */
export function dutyLevers({ town }: Pick<Stage, "town">): readonly Lever[] {
  const come = (ref: PlayerRef): Player => {
    town.world.staff.set(ref.id, { name: ref.name, role: "mod" });
    if (town.world.find(ref.id) === undefined) town.join(ref.name, ref.id);
    const here = town.world.find(ref.id);
    if (here === undefined) throw new Error("the server is full");
    return here;
  };
  const lever = (id: string, label: string, hint: string, pull: () => string): Lever => ({
    id,
    label,
    hint,
    pull,
    group: "town",
    isFault: false,
  });
  return [
    lever("duty-come", "Staff comes for duty", `${DANA.name} comes in and types :log duty`, () => {
      come(DANA);
      town.say(DANA, ":log duty");
      return `${DANA.name} came in and typed :log duty`;
    }),
    lever("duty-play", "Staff comes to play", `${PAUL.name} comes in and starts no shift`, () => {
      come(PAUL);
      return `${PAUL.name} came in to play`;
    }),
    lever("duty-still", "Stand still", `${DANA.name} does not move any more`, () => {
      const { nowS } = town.world;
      const { x, z } = placeOn(come(DANA).path, nowS);
      town.lead(DANA, [[x, z, nowS]]);
      return `${DANA.name} stands still`;
    }),
    lever("duty-forget", "Leave without an end", `${DANA.name} leaves the game and ends no shift`, () => {
      return town.leave(DANA) ? `${DANA.name} left and ended no shift` : `${DANA.name} is not in the game`;
    }),
    lever("duty-off", "End the shift", `${DANA.name} types :log off`, () => {
      come(DANA);
      town.say(DANA, ":log off");
      return `${DANA.name} typed :log off`;
    }),
  ];
}
