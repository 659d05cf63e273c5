import assert from "node:assert/strict";
import type { Channel, Message, Person } from "../../src/sandbox/discord/types.ts";
import { labelsOf, press, reads } from "./read.ts";
import { E2eRig } from "./rig.ts";

/** What Marshal may do in a channel in which appeals are talked about. */
export const MAY_TALK = [
  "ViewChannel",
  "SendMessages",
  "SendMessagesInThreads",
  "EmbedLinks",
  "CreatePrivateThreads",
  "AttachFiles",
  "ReadMessageHistory",
] as const;

/** A linked server with two Managers, a channel that players do not see and one in which they appeal. */
export class AppealsRig {
  readonly rig: E2eRig;
  readonly manager: Person;
  readonly other: Person;
  readonly staffOnly: Channel;
  readonly players: Channel;

  private constructor(
    rig: E2eRig,
    managers: readonly [Person, Person],
    channels: readonly [Channel, Channel],
  ) {
    this.rig = rig;
    [this.manager, this.other] = managers;
    [this.staffOnly, this.players] = channels;
  }

  static async start(): Promise<AppealsRig> {
    const rig = await E2eRig.start();
    const { guild, owner, general } = rig.home;
    const role = guild.addRole({ name: "Managers" });
    const person = (name: string) => rig.discord.as(guild.addMember({ name, roles: [role] }));
    const managers = [person("Ma"), person("Max")] as const;
    await rig.link();
    await reads(await owner.slash(general, "staff allow", { role, tier: "manager" }), /Manager/);
    const overwrites = [
      { target: guild.everyone, deny: ["ViewChannel"] as const },
      { target: role, allow: ["ViewChannel"] as const },
    ];
    const staffOnly = guild.addChannel({ name: "appeals-staff", overwrites });
    staffOnly.allowBot("ViewChannel", "SendMessages", "EmbedLinks", "AttachFiles", "ReadMessageHistory");
    const players = guild.addChannel({ name: "appeals" });
    await rig.feed("commands");
    return new AppealsRig(rig, managers, [staffOnly, players]);
  }

  setUp() {
    const { rig, staffOnly, players } = this;
    const channels = { channel: staffOnly, "button-in": players };
    return rig.home.owner.slash(rig.home.general, "setup appeals", channels);
  }

  get button(): Message {
    const { rig, players } = this;
    return (
      rig.discord.messages(players).findLast((message) => labelsOf(message).includes("Appeal")) ??
      assert.fail()
    );
  }

  /** Runs it, and waits for the case of what was sent: an appeal is about the cases that are there when it comes. */
  async ran(text: string, by: Person): Promise<void> {
    const { rig } = this;
    const plan = await by.slash(rig.home.general, "run command", { text });
    await reads(plan, /Send it|It ran/);
    if (/It ran/.test(plan.text)) return;
    const sent = await press(by, plan, "Send it");
    await reads(sent, /It ran/);
    await rig.until("its case", () =>
      labelsOf(sent.message ?? assert.fail()).some((label) => /^Case/.test(label)),
    );
  }
}
