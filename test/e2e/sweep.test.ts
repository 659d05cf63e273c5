import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { commands } from "../../commands/index.ts";
import { areAllWorlds, testInSoak } from "../support/worlds.ts";
import { labelsOf, reads } from "./read.ts";
import {
  feeds,
  isTakingAll,
  ORDERED,
  openCases,
  PRESSED,
  PRESSED_ELSEWHERE,
  savePositions,
  settleIn,
  withSweep,
} from "./sweep-rig.ts";
import { fillTown, happen, PLAIN } from "./sweep-town.ts";
import { CROWD, Unasked } from "./sweep-unasked.ts";
import { invocations } from "./sweep-walk.ts";

/**
 * Every day the world in which most is found, and what comes by itself; the others by `npm run soak -- sweep`, which alone
 * can tell that everything was pressed. Each world has a bot, a Discord and a clock of its own, and mostly waits: they all
 * run at the same time.
 */
describe("Everything that can be typed and pressed", { timeout: 900_000, concurrency: true }, () => {
  testInSoak("fits Discord and reads well where nothing is linked", async () => {
    await withSweep({ keys: ["alpha-first-key", "beta-second-key"] }, async (sweep) => {
      const { rig, home } = sweep;
      home.guild.removeBot();
      home.guild.setSystemChannel(home.general);
      home.owner.member.addRole(home.staffRole);
      home.guild.addBot();
      await sweep.walker.openPosted(await rig.posted(home.general, "Marshal is here"));
      await sweep.everything();
      sweep.assertClean();
    });
  });

  testInSoak("fits Discord and reads well for an empty server", async () => {
    const town = { initialPlayers: 0, range: { min: 0, max: 0 }, info: { coOwnerIds: [], name: "" } };
    await withSweep({ town, faults: { moderator: "null" } }, async (sweep) => {
      await settleIn(sweep);
      await sweep.everything();
      sweep.assertClean();
    });
  });

  test("fits Discord and reads well for 200 players with hostile names, in commands and in logs", async () => {
    const town = { initialPlayers: 0, range: { min: 200, max: 240 }, info: { maxPlayers: 200 } };
    await withSweep({ town }, async (sweep) => {
      const { rig, names } = sweep;
      Object.assign(rig.town.world.info, { name: `${names[0] ?? ""} ${names[4] ?? ""}` });
      fillTown(rig.town, names);
      await settleIn(sweep);
      await savePositions(sweep);
      const channels = await feeds(sweep);
      await openCases(sweep);
      happen(rig.town);
      for (const channel of channels.slice(1)) {
        const posted = await rig.until(
          `something in #${channel.name}`,
          () => rig.discord.messages(channel)[0],
        );
        await sweep.walker.openPosted(posted);
      }
      // What is pressed first, such as Resolve, takes the rest from a card: several have each of it pressed.
      const cards = await rig.until("cards of calls", () => {
        const found = rig.discord
          .messages(sweep.home.guild.channel("mod-calls"))
          .filter((message) => labelsOf(message).includes("More"));
        return found.length >= 4 && found.slice(0, 3);
      });
      for (const card of cards) await sweep.walker.openPosted(card);
      const claimed = await rig.posted(sweep.home.guild.channel("mod-calls"), "called");
      await sweep.home.moderator.click(claimed, "Claim");
      await rig.until("the claim on the card", () => labelsOf(claimed).includes("Release"));
      await sweep.walker.openPosted(claimed);
      await sweep.everything((line) => !isTakingAll(line));
      const { owner } = sweep.home;
      await sweep.reads("me link", { player: PLAIN, member: owner.member }, /in the game/);
      await sweep.walker.open("me show", {});
      if (!areAllWorlds) return sweep.assertClean();
      // What was made meanwhile is listed now, and rows come without fields that should be there.
      rig.service.faults.set({ missingField: 0.5, unknownFields: true, unknownValues: true });
      const isLooking = (line: string) =>
        /^(server|diagnose|help|stats)|list|show|history|search|watches/.test(line) && !isTakingAll(line);
      await sweep.everything(isLooking, "first and last");
      for (const person of [sweep.home.moderator, sweep.home.member]) await sweep.briefly(person, isLooking);
      rig.service.faults.clear();
      await sweep.everything(isTakingAll);
      sweep.assertClean();
    });
  });

  testInSoak(
    "fits Discord and reads well where commands end in errors, wait, or are undone, and a log stopped",
    async () => {
      await withSweep({}, async (sweep) => {
        const { rig, home, walker } = sweep;
        const { owner, general } = home;
        await settleIn(sweep);
        const joins = await rig.feed("joins");
        joins.denyBot("SendMessages");
        rig.town.join(PLAIN);
        await rig.until("the direct message of the stopped log", () => owner.dms().length > 0);
        joins.allowBot("SendMessages");
        await walker.open("diagnose", {});
        await walker.open("feed pause", { feed: "1" });
        await walker.open("feed list", {});

        const account = { player: PLAIN, member: owner.member };
        await reads(await owner.slash(general, "me link", account), /in the game/);
        const type = { name: "Shift", starts: "declared" };
        await reads(await owner.slash(general, "duty type add", type), /starts with/);
        await walker.open("duty start", {});
        await walker.open("duty now", {});
        await walker.open("duty leave ask", { until: "7 days", reason: "Exams" });
        await walker.open("duty leave ask", { until: "7 days", from: "14 days" });
        await walker.open("duty leave list", {});

        await sweep.run(":unwanted Plain_Jane", /Undo/);
        await sweep.run(":jail Plain_Jane", /Give the reason/);
        await walker.open("run command", { text: ":ban Plain_Jane spam", for: "7 days" });
        await walker.open("run bans", {});
        rig.service.faults.set({ command500: 1, command500Executed: 0, only: "commands" });
        await sweep.run(":h An error comes", /It may have run/);
        rig.service.faults.clear();
        rig.service.faults.set({ delayMs: 2_000 });
        const waiting = Array.from({ length: 12 }, (_, n) =>
          owner.slash(general, "run command", { text: `:h Wait ${n}` }),
        );
        await Promise.all(waiting);
        await walker.open("run queue", {});
        rig.service.faults.clear();
        for (const exchange of await Promise.all(waiting))
          await sweep.ended(exchange, /^(?![\s\S]*\[Cancel\])/);
        await walker.open("run history", { refusals: true });
        rig.town.empty();
        await sweep.run(":h Is anybody there", /Run when someone joins/);
        rig.town.join(PLAIN);
        await rig.polled("Players");
        rig.service.keyBook.setCommandsAllowed(rig.key, false);
        await sweep.run(":h The owner has not allowed it", /Let Marshal run commands/);

        rig.service.faults.set({ resetBefore: 1 });
        await rig.restart();
        await sweep.everything((line) => line.startsWith("server "));
        // The posts into the closed channel were refused.
        sweep.assertClean(/403 .*50013/);
      });
    },
  );

  test("fits Discord and reads well where it comes by itself: alerts, receipts, calls, panels, notices, the week", async () => {
    const town = { initialPlayers: 0, range: { min: 0, max: CROWD }, info: { maxPlayers: CROWD } };
    // The Monday on which the first summary is due is jumped over.
    await withSweep({ town, startMs: Date.UTC(2027, 2, 2, 20) }, async (sweep) => {
      const { rig, names, walker } = sweep;
      Object.assign(rig.town.world.info, { name: `${names[0] ?? ""} ${names[4] ?? ""}` });
      fillTown(rig.town, names, CROWD - 4);
      await settleIn(sweep);
      const unasked = new Unasked(sweep);
      await unasked.turnOn();
      for (const message of await unasked.happens()) await walker.openPosted(message);
      for (const line of ["alert list", "case search", "player watches", "schedule list"])
        await walker.open(line, {});
      await walker.openPosted(await unasked.weekComes());
      for (const period of ["1", "90"]) {
        await walker.open("stats server", { period });
        await walker.open("stats staff", { period });
      }
      await unasked.ends();
      sweep.assertClean();
    });
  });

  testInSoak("is answered first without the service, which swallows every request", async () => {
    await withSweep({}, async (sweep) => {
      const { rig, home } = sweep;
      await settleIn(sweep);
      rig.service.faults.set({ silent: 1 });
      const { answered } = rig.service;
      const from = answered.length;
      const first: string[] = [];
      const typing = { ...sweep.typing(home.owner), trying: "first and last" } as const;
      for (const line of ORDERED) {
        for await (const given of invocations(line, typing)) {
          sweep.mark(`/${line.line}`);
          await sweep.turn();
          const exchange = await home.owner.slash(home.general, line.line, given);
          if (exchange.kind === "none") first.push(`/${line.line} ${JSON.stringify(given)}`);
          break;
        }
      }
      assert.deepEqual(first, [], "no first answer");
      rig.service.faults.set({ silent: 0, resetBefore: 1 });
      await sweep.walker.open("server status", {});
      assert.equal(answered.slice(from).filter(({ status }) => status === 200).length, 0);
      sweep.assertClean();
    });
  });
});

describe("Everything that can be typed", () => {
  testInSoak("was pressed: no button, menu or form of any command was left out", () => {
    const actions = commands.flatMap((command) => Object.keys(command.actions ?? {}));
    const left = actions.filter(
      (action) => !PRESSED.has(action) && !Object.hasOwn(PRESSED_ELSEWHERE, action),
    );
    assert.deepEqual(left, []);
  });
});
