import type { Player } from "../service/town/player.ts";
import type { Stage } from "../stage.ts";
import type { Lever } from "./lever.ts";

const NAME = "Rulebreaker";
const ID = 9_000_000_777;
const VEHICLE = "Bearcat";

/** One player who does what rules are about; to be linked first: `/me link member: player: Rulebreaker`. */
export function ruleLevers({ town }: Pick<Stage, "town">): readonly Lever[] {
  const breaker = (): Player => {
    if (town.world.find(ID) === undefined) town.join(NAME, ID);
    const here = town.world.find(ID);
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
    lever("rule-team", "On team Police", `${NAME} goes on team Police`, () => {
      town.world.setTeam(breaker(), "Police");
      return `${NAME} is on team Police`;
    }),
    lever("rule-vehicle", "Spawn a Bearcat", `${NAME} spawns a ${VEHICLE}`, () => {
      const here = breaker();
      here.vehicle = { name: VEHICLE, owner: here.ref.name, plate: "RULE1", texture: null, colour: null };
      return `${NAME} spawned a ${VEHICLE}`;
    }),
    lever("rule-callsign", "Callsign 1A-01", `${NAME} takes a callsign of the command staff`, () => {
      breaker().callsign = "1A-01";
      return `${NAME} is 1A-01`;
    }),
    lever("rule-name", "Somebody called all", "A player joins whose name reads as everybody", () => {
      return `${town.join("all", ID + 1).name} came in`;
    }),
    lever("rule-keep", "Keep all rules", `${NAME} goes back to Civilian, on foot`, () => {
      const here = breaker();
      town.world.setTeam(here, "Civilian");
      here.callsign = null;
      return `${NAME} is a civilian`;
    }),
  ];
}
