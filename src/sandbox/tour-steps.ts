import { addAlert, addFeed, answered, commandIsThere, keepDuty, linkServer } from "./moves.ts";
import { writePast } from "./past.ts";
import type { Stage } from "./stage.ts";
import { expect, finished, NotSeen, posted, SETTLE_MS, type TourStep, textOf } from "./tour-guide.ts";

/** What happens on the tour, in order; each step builds on those before. */
export const TOUR_STEPS: readonly TourStep[] = [
  {
    title: "The bot logs in and registers its commands",
    async run({ stage, say, seen }) {
      stage.bot.start();
      const { owner, channels } = stage.cast;
      await commandIsThere(stage, owner, channels.staff, "setup");
      const names = await seen("commands", () => stage.discord.commands().map(({ name }) => `/${name}`));
      say(`Marshal is in "${stage.cast.guild.name}" and offers ${names.join(" ")}`);
    },
  },
  {
    title: "Olivia, the owner, links her game server: /setup link",
    async run({ stage, say, show }) {
      const result = await linkServer(stage, {
        form: ({ title, fields }) =>
          say(`A form opens: "${title}" (${fields.map(({ label }) => label).join(", ")}). She fills it in.`),
        question: show,
      });
      say("She presses the first button.");
      show(result);
      expect(!textOf(result).includes(stage.serverKey), "a result without the key");
      expect(/linked/i.test(textOf(result)), "the word that it is linked");
    },
  },
  {
    title: "Anyone looks at the server: /server status",
    async run({ stage, show }) {
      const { member, channels } = stage.cast;
      const exchange = await stage.discord.as(member).slash(channels.general, "server status");
      const message = await finished(exchange, /players/i);
      show(message);
      expect(textOf(message).includes(stage.town.world.info.name), "the server's name");
    },
  },
  {
    title: "Max has no staff role and tries a command",
    async run({ stage, show }) {
      const { member, channels } = stage.cast;
      const executions = stage.service.counts.executions.length;
      const exchange = await stage.discord
        .as(member)
        .slash(channels.general, "run command", { text: ":h I am staff now" });
      const message = answered(await exchange.settled(undefined, SETTLE_MS));
      show(message);
      expect(exchange.ephemeral, "a refusal that only Max sees");
      expect(stage.service.counts.executions.length === executions, "nothing sent to the game");
    },
  },
  {
    title: "Mo, a moderator, runs one, but a key only reads: Olivia has to allow commands",
    async run({ stage, show, say, seen }) {
      const { moderator, owner, channels } = stage.cast;
      const text = ":h Too early";
      const asked = await stage.discord.as(moderator).slash(channels.staff, "run command", { text });
      show(await finished(asked, /does not let Marshal run commands/));
      const olivia = stage.discord.as(owner);
      const found = answered(await (await olivia.slash(channels.staff, "diagnose")).settled());
      const mend = await olivia.click(found, `Commands on ${stage.town.world.info.name}`);
      const guide = answered(await mend.settled());
      stage.service.keyBook.setCommandsAllowed(stage.serverKey, true);
      say("On the owner's page of the game service she allows it, then presses Check again.");
      await olivia.click(guide, "Check again");
      await seen("what the check shows", () => /none of your roles can run one yet/.test(textOf(guide)));
      show(guide);
      expect(stage.service.counts.executions.length === 0, "a check that runs nothing in the game");
    },
  },
  {
    title: "Now Mo's command runs",
    async run({ stage, show, say, seen }) {
      const { moderator, channels } = stage.cast;
      const text = ":h Welcome to the server, have fun";
      const exchange = await stage.discord.as(moderator).slash(channels.staff, "run command", { text });
      const message = await finished(exchange, /done|ran|success/i);
      show(message);
      await seen("the command in the game", () =>
        stage.town.record.commands.some(({ command }) => command === text),
      );
      const times = stage.service.counts.executionsByText.get(text);
      expect(times === 1, `one execution, not ${times}`);
      say("In the game everyone reads the hint; it ran once.");
    },
  },
  {
    title: "Olivia gives joins, kills and moderator calls a channel: /feed add",
    async run({ stage, show }) {
      const { channels } = stage.cast;
      show(await addFeed(stage, "joins", channels.joins));
      await addFeed(stage, "kills", channels.kills);
      await addFeed(stage, "mod-calls", channels.modCalls);
      await baseline(stage);
    },
  },
  {
    title: "Players join, one leaves",
    async run({ stage, show, seen }) {
      const first = stage.town.join("Riley_Brooks");
      stage.town.join("@everyone **x** <@1>");
      const last = await seen("the joins in #joins", () =>
        posted(stage, stage.cast.channels.joins, "Riley_Brooks", "@everyone"),
      );
      show(last);
      expect(!last.pings.everyone && last.pings.users.length === 0, "a hostile name that pings nobody");
      stage.town.leave(first);
      show(
        await seen("the leave in #joins", () =>
          posted(stage, stage.cast.channels.joins, "Riley_Brooks", "left"),
        ),
      );
    },
  },
  {
    title: "A kill",
    async run({ stage, show, seen }) {
      const [killer, victim] = [stage.town.join("Casey_Holt"), stage.town.join("Drew_Park")];
      stage.town.kill(killer, victim);
      show(
        await seen("the kill in #kills", () =>
          posted(stage, stage.cast.channels.kills, "Casey_Holt", "Drew_Park"),
        ),
      );
    },
  },
  {
    title: "A player calls a moderator; later one answers, and the same message says so",
    async run({ stage, show, say, seen }) {
      const call = stage.town.modCall(stage.town.join("Jamie_Cole"));
      const card = await seen("the card in #mod-calls", () =>
        posted(stage, stage.cast.channels.modCalls, "Jamie_Cole"),
      );
      show(card);
      stage.town.answerModCall(call, { name: "Officer_Grey", id: 8_800_042 });
      const edited = await seen("the edited card", () =>
        card.edits > 0 && textOf(card).includes("Officer_Grey") ? card : undefined,
      );
      say(`The message of before (edited ${edited.edits === 1 ? "once" : `${edited.edits} times`}):`);
      show(edited);
      const cards = stage.discord
        .messages(stage.cast.channels.modCalls)
        .filter((message) => textOf(message).includes("Jamie_Cole"));
      expect(cards.length === 1, `one message for one call, not ${cards.length}`);
    },
  },
  {
    title: "Mo kicks a player: the case is posted and updates itself",
    async run({ stage, show, seen }) {
      const { owner, moderator, channels, guild } = stage.cast;
      const cases = guild.addChannel({ name: "cases" });
      const set = await stage.discord.as(owner).slash(channels.staff, "setup cases", { channel: cases });
      await finished(set, /Cases are posted in/);
      const text = ":kick Casey_Holt spawn killing";
      const ran = await stage.discord.as(moderator).slash(channels.staff, "run command", { text });
      await finished(ran, /It ran/);
      show(await seen("the receipt in #cases", () => posted(stage, cases, "Casey_Holt", "Player left")));
    },
  },
  {
    title: "Who was that, and what happened? /player show, /server at",
    async run({ stage, show }) {
      const { moderator, channels } = stage.cast;
      const mo = stage.discord.as(moderator);
      const player = await mo.slash(channels.staff, "player show", { player: "Casey_Holt" });
      show(await finished(player, /Kills · 1[\s\S]*spawn killing/));
      const rewind = await mo.slash(channels.staff, "server at", { time: "now" });
      show(await finished(rewind, /Casey_Holt killed Drew_Park/));
    },
  },
  {
    title: "Olivia wants to hear about kill sprees: /alert add",
    async run({ stage, show, seen }) {
      const { channels } = stage.cast;
      show(await addAlert(stage, "kills", channels.staff));
      await baseline(stage);
      const [killer, victim] = [stage.town.join("Robin_Vale"), stage.town.join("Sasha_Reed")];
      for (let kills = 0; kills < 5; kills += 1) stage.town.kill(killer, victim);
      const alert = await seen("the alert in #staff-room", () =>
        posted(stage, channels.staff, "5 kills", "Robin_Vale"),
      );
      show(alert);
      stage.town.kill(killer, victim);
      await seen("the sixth kill on the same message", () => textOf(alert).includes("6 kills"));
      const told = stage.discord.messages(channels.staff).filter((message) => textOf(message).includes("🚨"));
      expect(told.length === 1, `one message for one spree, not ${told.length}`);
    },
  },
  {
    title: "Mo asks when staff is needed: /stats server",
    async run({ stage, say, show }) {
      const { service, historyFile = "" } = stage;
      writePast({ file: historyFile, nowS: Math.floor(service.nowMs() / 1_000), seed: 1 });
      say("The history is given three weeks of past, as a lever of the page does.");
      const { moderator, channels } = stage.cast;
      const stats = await stage.discord.as(moderator).slash(channels.staff, "stats server");
      const message = await finished(stats, /When staff are needed/);
      show(message);
      const pictures = message.embeds.filter(({ image }) => image?.content_type === "image/png");
      expect(pictures.length === 2, "two pictures under the words");
    },
  },
  {
    title: "Mo is on duty: /duty start, with what the game shows as evidence",
    async run({ stage, show, seen }) {
      const { guild, moderator, channels } = stage.cast;
      const shifts = guild.addChannel({ name: "shifts" });
      const player = stage.town.world.person(4);
      if (!stage.town.players.some(({ id }) => id === player.id)) stage.town.join(player.name, player.id);
      await keepDuty(stage, { channel: shifts, staff: [[moderator, player]] });
      const mo = stage.discord.as(moderator);
      await finished(await mo.slash(channels.staff, "duty start"), /On duty: Patrol/);
      await seen("the shift in #shifts", () => posted(stage, shifts, "On duty: Patrol"));
      show(await finished(await mo.slash(channels.staff, "duty now"), /On duty: 1/));
      show(await finished(await mo.slash(channels.staff, "duty end"), /Off duty/));
      await seen("its evidence in #shifts", () => posted(stage, shifts, "Off duty: Patrol"));
      const all = stage.discord.messages(shifts);
      expect(all.length === 1, `one message for one shift, not ${all.length}`);
    },
  },
  {
    title: "kill -9, and a start again: nothing is lost, nothing comes twice",
    async run({ stage, say, seen }) {
      await stage.bot.kill();
      stage.town.join("Sam_Rivers");
      stage.bot.start();
      await seen("the join that happened meanwhile", () =>
        posted(stage, stage.cast.channels.joins, "Sam_Rivers"),
      );
      const all = stage.discord.messages(stage.cast.channels.joins).map(textOf).join("\n");
      for (const name of ["Riley_Brooks", "Sam_Rivers"]) {
        const times = all.split("\n").filter((line) => line.includes(name) && line.includes("joined")).length;
        expect(times === 1, `${name} joined once, posted ${times} times`);
      }
      say("Sam_Rivers joined while the bot was dead; #joins has every join exactly once.");
    },
  },
  {
    title: "What the service counted",
    async run({ stage, say }) {
      const { requests, answers429, avoidable, executions } = stage.service.counts;
      say(
        `${requests} requests, ${answers429} answers of 429, ${avoidable} sent although a 429 had said to wait, ${executions.length} commands executed`,
      );
      expect(avoidable === 0, "no request during a wait");
      const said = stage.bot.lines.join("\n");
      expect(!said.includes(stage.serverKey), "a log without the server key");
    },
  },
];

/** The first answer about a new feed's list is its baseline: what happens before it is of the past and not posted. */
async function baseline(stage: Stage): Promise<void> {
  const { requests } = stage.service.counts;
  await untilTrue(() => stage.service.counts.requests >= requests + 2, SETTLE_MS);
}

/** The service has no events: its counts are looked at a few times a second. */
async function untilTrue(probe: () => boolean, timeoutMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setInterval(() => probe() && resolve(), 50);
  const limit = setTimeout(() => reject(new NotSeen("the bot reading the server")), timeoutMs);
  try {
    await promise;
  } finally {
    clearInterval(timer);
    clearTimeout(limit);
  }
}
