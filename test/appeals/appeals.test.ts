import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseAppeal } from "../../src/appeals/appeal-record.ts";
import { createAppeals } from "../../src/appeals/create-appeals.ts";
import { appealRenderer } from "../../src/discord/render/appeal-cards.ts";
import type { Case } from "../../src/domain/case.ts";
import { md } from "../../src/domain/escaped.ts";
import { Failure } from "../../src/domain/failure.ts";
import { DEFAULT_SETTINGS, type GuildSettings } from "../../src/domain/guild.ts";
import type { OwedMessage } from "../../src/domain/ports/notifier.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { isFailure } from "../support/failures.ts";
import { actorOf } from "../support/fake-services.ts";
import { FakeSink } from "../support/fake-sink.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";
import { outboxOver } from "../support/outbox.ts";

const GUILD = "g";
const ann = { name: "Ann", id: 12 };
const person = (userId: string) => actorOf({ userId, guildId: GUILD, channelId: "players" });
const asking = { typedName: "Ann", words: "It was my brother.\n\n# @everyone" };

/** What outlives a process; `kill` makes all that is asked from then on wait for ever. */
class World {
  readonly clock = new VirtualClock();
  readonly documents = new MemoryDocuments(parseAppeal);
  readonly sink = new FakeSink(this.clock);
  readonly owed: OwedMessage[] = [];
  readonly revoked: number[] = [];
  readonly opened: string[] = [];
  readonly notices: string[] = [];
  settings: GuildSettings = { ...DEFAULT_SETTINGS, appealChannelId: "staff" };
  one: Case = {
    guildId: GUILD,
    number: 1,
    kind: "ban",
    bindingId: "b",
    targets: [{ name: "Ann", playerId: 12 }],
    mass: false,
    author: { name: "Mo", userId: "mo" },
    atMs: 0,
    edits: [],
  };
  lift: Case | undefined;
  /** Newer than that. */
  later: Case | undefined;
  isThreadAnswerLost = false;
  isHistoryAway = false;
  reports = 0;
  isKilled = false;
  wholeSinceMs: number | undefined;

  async #alive(): Promise<void> {
    if (this.isKilled) await new Promise(() => undefined);
  }

  start() {
    const outbox = outboxOver(this.sink, this.clock);
    const wing = createAppeals({
      documents: this.documents,
      settings: { of: async () => this.settings },
      accounts: {
        of: async (_, userId) =>
          userId === "pam" ? { userId, player: { name: "Pam", id: 77 }, linkedAtMs: 0 } : undefined,
      },
      players: {
        find: async (_, name) =>
          name === "Ann"
            ? [{ playerId: 12, name: "Ann", earlierNames: [], firstSeenS: 0, lastSeenS: 0 }]
            : [],
      },
      positions: { ofCase: async () => undefined },
      cases: {
        get: async () => this.one,
        liftOf: async () => this.lift,
        search: async (_, { playerId: id }) =>
          [this.later, this.lift, this.one]
            .filter((one) => one !== undefined)
            .filter(({ targets }) => targets.some(({ playerId }) => playerId === id)),
        revoke: async ({ userId }, number) => {
          await this.#alive();
          if (this.isHistoryAway) throw new Failure("store", "The history is away.");
          this.revoked.push(number);
          this.one = { ...this.one, revoked: { atMs: 1, byId: userId } };
          return this.one;
        },
      },
      threads: {
        open: async ({ name, mayExist }) => {
          if (!(mayExist && this.opened.includes(name))) this.opened.push(name);
          if (this.isThreadAnswerLost) throw new Failure("paused", "the answer is lost");
          return `thread ${name}`;
        },
        add: async () => "added",
      },
      posts: outbox.posts,
      owed: {
        owe: async (message) => {
          await this.#alive();
          this.owed.push(message);
          return true;
        },
      },
      notifier: {
        guild: async (_, { content = "" }) => void this.notices.push(content),
      },
      owners: { isOwner: (_, userId) => userId === "owner" },
      renderer: appealRenderer,
      clock: this.clock,
      wholeSinceMs: this.wholeSinceMs,
      random: seededRandom(4),
      isOurs: () => true,
      report: (what, error) => {
        this.reports += 1;
        if (!(error instanceof Failure)) throw new Error(what, { cause: error });
      },
    });
    return wing;
  }
}

const accepts = { isAccepted: true, unbans: true };

describe("An appeal", () => {
  test("of a channel that is closed for a day is told once, and stands there when it is open again", async () => {
    const world = new World();
    const { appeals } = world.start();
    world.sink.fault = () => "no-access";
    await appeals.ask(person("u"), asking);
    await appeals.ask(person("v"), asking);
    await world.clock.advance(24 * 3_600_000);
    assert.equal(world.notices.length, 1, world.notices.join("\n"));
    world.sink.fault = () => undefined;
    await world.clock.advance(600_000);
    assert.equal(world.sink.messages("staff").length, 2);
  });

  test("shows its case as it is: revoked while it is open, and lifted after it was accepted", async () => {
    const world = new World();
    const wing = world.start();
    const { id } = await wing.appeals.ask(person("u"), asking);
    await world.clock.advance(1_000);
    const shown = () => JSON.stringify(world.sink.messages("staff")[0]);
    assert.doesNotMatch(shown(), /Revoked/);
    world.one = { ...world.one, revoked: { atMs: 1, byId: "mo" } };
    wing.onCaseChanged(GUILD, 2);
    await world.clock.advance(60_000);
    assert.doesNotMatch(shown(), /Revoked/, "of another case nothing is shown");
    wing.onCaseChanged(GUILD, 1);
    await world.clock.advance(60_000);
    assert.match(shown(), /Revoked/);

    const { revoked: _, ...standing } = world.one;
    world.one = { ...standing, endsAtMs: 9_000_000 };
    await wing.appeals.prove(person("max"), id);
    await wing.appeals.decide(person("owner"), id, accepts);
    world.lift = { ...world.one, number: 7, kind: "unban", atMs: 5 };
    wing.onCaseChanged(GUILD, 1);
    await world.clock.advance(60_000);
    assert.match(shown(), /Lifted by .*: case 7/);
    assert.doesNotMatch(shown(), /Set to end/);
  });

  test("whose card a kill left unwritten is found behind hundreds of later messages, and says what was decided", async () => {
    const world = new World();
    const { appeals } = world.start();
    const { id } = await appeals.ask(person("u"), asking);
    await world.clock.advance(1_000);
    const kept = parseAppeal(await world.documents.get(`${GUILD}:${id}`));
    const { messageId: _, ...card } = kept.card;
    await world.documents.set(`${GUILD}:${id}`, { ...kept, card });
    await world.clock.advance(600_000);
    for (let nth = 0; nth < 250; nth += 1)
      await world.sink.send("staff", { nonce: `n${nth}`, content: md`later` });
    const next = world.start();
    await next.start();
    await world.clock.advance(60_000);
    await next.appeals.prove(person("max"), id);
    await next.appeals.decide(person("max"), id, { isAccepted: false, unbans: false });
    await world.clock.advance(60_000);
    const cards = world.sink.messages("staff").filter(({ body }) => body.cards !== undefined);
    assert.equal(cards.length, 1);
    assert.match(world.sink.text("staff"), /Refused by/);
  });

  test("that was accepted after the backup was made stays accepted: its card tells, and stays as it is", async () => {
    const world = new World();
    const { appeals } = world.start();
    const { id } = await appeals.ask(person("u"), asking);
    await world.clock.advance(1_000);
    await appeals.prove(person("max"), id);
    await world.clock.advance(60_000);
    const backup = parseAppeal(await world.documents.get(`${GUILD}:${id}`));
    const decided = await appeals.decide(person("owner"), id, accepts);
    await appeals.unbanned(decided, "ran");
    await world.clock.advance(60_000);
    const said = world.sink.text("staff");
    assert.match(said, /Accepted by[\s\S]*Unbanned/);

    const { revoked: _, ...standing } = world.one;
    world.one = standing;
    await world.documents.set(`${GUILD}:${id}`, backup);
    world.wholeSinceMs = world.clock.nowMs();
    const next = world.start();
    await next.start();
    const again = next.appeals.decide(person("owner"), id, accepts);
    await assert.rejects(again, /restored from an older copy/);
    await world.clock.advance(60_000);
    assert.equal(world.sink.text("staff"), said);
    assert.equal(world.owed.length, 1, "they are not told a second time");
    assert.notEqual(world.one.revoked, undefined, "the case of the copy says so again");
    await assert.rejects(next.appeals.decide(person("owner"), id, accepts), /It was accepted already/);
    const { decision } = next.appeals.get(GUILD, id);
    assert.deepEqual([decision?.byId, decision?.unban, decision?.atMs !== 0], ["owner", "ran", true]);
    next.onCaseChanged(GUILD, 1);
    await world.clock.advance(60_000);
    assert.equal(world.sink.text("staff"), said);
  });

  test("that is still open after a restore is answered once its card was read, also after the next start", async () => {
    const world = new World();
    const { id } = await world.start().appeals.ask(person("u"), asking);
    await world.clock.advance(60_000);
    world.wholeSinceMs = world.clock.nowMs();
    world.sink.fault = (call) => (call === "readBack" ? "no-history" : undefined);
    const next = world.start();
    await next.start();
    await world.clock.advance(60_000);
    const refuses = { isAccepted: false, unbans: false };
    await assert.rejects(next.appeals.decide(person("max"), id, refuses), /Read Message History/);
    assert.doesNotThrow(() => next.appeals.refuseForm(person("u")), "they may appeal again");
    world.sink.fault = () => undefined;
    await assert.rejects(next.appeals.decide(person("max"), id, refuses), isFailure("bad-command"));
    await world.clock.advance(60_000);
    const last = world.start();
    await last.start();
    await last.appeals.decide(person("max"), id, refuses);
    await world.clock.advance(60_000);
    assert.match(world.sink.text("staff"), /Refused by/);
  });

  test("whose words Discord refuses comes without them, and no channel is called closed", async () => {
    const world = new World();
    const { appeals } = world.start();
    world.sink.fault = (_, __, body) =>
      JSON.stringify(body ?? {}).match(/bad\.example|Ann/) === null ? undefined : "form";
    await appeals.ask(person("u"), { ...asking, words: "see bad.example" });
    await world.clock.advance(10_000);
    assert.match(world.sink.text("staff"), /Player 12\b[\s\S]*Discord refuses/);
    assert.equal(world.sink.messages("staff").length, 1);
    assert.deepEqual(world.notices, []);
  });

  test("of a channel that was deleted stands in the one that was chosen after it, also after a restart", async () => {
    const world = new World();
    const { appeals } = world.start();
    world.sink.fault = (_, channelId) => (channelId === "staff" ? "gone" : undefined);
    await appeals.ask(person("u"), asking);
    await world.clock.advance(60_000);
    world.settings = { ...world.settings, appealChannelId: "staff-2" };
    await world.clock.advance(600_000);
    assert.deepEqual([world.sink.messages("staff-2").length, world.notices.length], [1, 1]);
    const next = world.start();
    await next.start();
    world.settings = { ...world.settings, appealChannelId: "staff-3" };
    await world.clock.advance(600_000);
    await next.appeals.ask(person("v"), asking);
    await world.clock.advance(600_000);
    const shown = ["staff-2", "staff-3"].map((channelId) => world.sink.messages(channelId).length);
    assert.deepEqual(shown, [1, 1], "what stands stays where it is");
  });

  test("of two presses at once of one person is one, and of two decisions the first counts", async () => {
    const world = new World();
    const { appeals } = world.start();
    const asked = await Promise.allSettled([
      appeals.ask(person("u"), asking),
      appeals.ask(person("u"), asking),
    ]);
    assert.deepEqual(asked.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    const id = world.documents.keys[0]?.split(":")[1] ?? "";
    await assert.rejects(appeals.decide(person("max"), id, accepts), isFailure("bad-command"));
    await assert.rejects(appeals.prove(person("u"), id), isFailure("denied"));
    await appeals.prove(person("max"), id);
    await assert.rejects(appeals.decide(person("mo"), id, accepts), isFailure("denied"));
    const decided = await Promise.allSettled([
      appeals.decide(person("max"), id, accepts),
      appeals.decide(person("kim"), id, { isAccepted: false, unbans: false }),
    ]);
    assert.deepEqual(
      decided.map(({ status }) => status),
      ["fulfilled", "rejected"],
    );
    assert.deepEqual([world.revoked, world.owed.length], [[1], 1]);
    await world.clock.advance(60_000);
    assert.match(world.sink.text("staff"), /not known yet whether the unban ran/);
    await appeals.unbanned(appeals.get(GUILD, id), "ran");
    await world.clock.advance(60_000);
    assert.match(world.sink.text("staff"), /Unbanned in the game/);
    assert.equal(world.sink.messages("staff").length, 1);
  });

  test("is not decided by who made its case in the game before they linked their account", async () => {
    const world = new World();
    world.one = { ...world.one, author: { name: "Pam", playerId: 77 } };
    const { appeals } = world.start();
    const { id } = await appeals.ask(person("u"), asking);
    const refuses = { isAccepted: false, unbans: false };
    await assert.rejects(appeals.decide(person("pam"), id, refuses), isFailure("denied"));
    await appeals.decide(person("max"), id, refuses);
  });

  test("about a ban that was asked for is decided neither by who asked nor by who approved", async () => {
    const world = new World();
    world.one = { ...world.one, askedBy: "kim" };
    const { appeals } = world.start();
    const { id } = await appeals.ask(person("u"), asking);
    const refuses = { isAccepted: false, unbans: false };
    await assert.rejects(appeals.decide(person("kim"), id, refuses), isFailure("denied"));
    await assert.rejects(appeals.decide(person("mo"), id, refuses), isFailure("denied"));
    await appeals.decide(person("max"), id, refuses);
  });

  test("about a ban whose case was revoked, and which nobody lifted, is not for who made the case either", async () => {
    const world = new World();
    world.one = { ...world.one, revoked: { atMs: 1, byId: "mo" } };
    const { appeals } = world.start();
    const { id, caseNumber } = await appeals.ask(person("u"), asking);
    assert.equal(caseNumber, 1);
    await assert.rejects(
      appeals.decide(person("mo"), id, { isAccepted: false, unbans: false }),
      isFailure("denied"),
    );
    world.lift = { ...world.one, number: 2, kind: "unban", atMs: 5, author: { name: "Marshal" } };
    assert.equal((await appeals.ask(person("v"), asking)).caseNumber, undefined);
  });

  test("about a case that was erased of them lifts nothing of the others in it, and shows it to nobody", async () => {
    const world = new World();
    const two = [...world.one.targets, { name: "Bob", playerId: 13 }];
    world.one = { ...world.one, targets: two, reason: "raid" };
    const { appeals } = world.start();
    const { id } = await appeals.ask(person("u"), asking);
    await appeals.prove(person("max"), id);
    world.one = { ...world.one, targets: [{ name: "Bob", playerId: 13 }] };
    await assert.rejects(appeals.decide(person("max"), id, accepts), /no case to revoke/);
    await world.clock.advance(60_000);
    assert.doesNotMatch(world.sink.text("staff"), /Bob|raid/);
    assert.match(world.sink.text("staff"), /no case\*\* that counts/);
    await appeals.decide(person("max"), id, { isAccepted: false, unbans: false });
    assert.deepEqual(world.revoked, []);
  });

  test("that was decided right before a kill is carried out by the next process, once", async () => {
    const world = new World();
    const { appeals } = world.start();
    const { id } = await appeals.ask(person("u"), asking);
    await world.clock.advance(60_000);
    await appeals.prove(person("max"), id);
    world.isKilled = true;
    void appeals.decide(person("max"), id, accepts);
    await world.clock.advance(1_000);
    assert.deepEqual([world.revoked, world.owed], [[], []]);
    world.isKilled = false;
    for (const _ of [1, 2]) {
      await world.start().start();
      await world.clock.advance(60_000);
      assert.deepEqual([world.revoked, world.owed.map((one) => one.id)], [[1], [`appeal ${id}`]]);
    }
    assert.equal(world.sink.messages("staff").length, 1);
    assert.match(world.sink.text("staff"), /Accepted by/);
  });

  test("that was accepted while the history takes nothing is carried out once it does, also after a restart", async () => {
    const world = new World();
    for (const [userId, isRestarted] of [
      ["u", false],
      ["v", true],
    ] as const) {
      const wing = world.start();
      await wing.start();
      const { id } = await wing.appeals.ask(person(userId), asking);
      await wing.appeals.prove(person("max"), id);
      world.isHistoryAway = true;
      await wing.appeals.decide(person("max"), id, accepts);
      if (isRestarted) {
        wing.stop();
        await world.start().start();
      }
      await world.clock.advance(600_000);
      assert.deepEqual([world.revoked.length, world.owed.length], isRestarted ? [1, 1] : [0, 0]);
      world.isHistoryAway = false;
      await world.clock.advance(600_000);
      assert.deepEqual([world.revoked.length, world.owed.at(-1)?.id], [isRestarted ? 2 : 1, `appeal ${id}`]);
      wing.stop();
    }
    assert.ok(world.reports > 2);
  });

  test("that was accepted is carried out however long the history was away, whoever asks meanwhile", async () => {
    const world = new World();
    const { appeals } = world.start();
    const { id } = await appeals.ask(person("u"), asking);
    await appeals.prove(person("max"), id);
    world.isHistoryAway = true;
    await appeals.decide(person("max"), id, accepts);
    await world.clock.advance(8 * 86_400_000);
    await appeals.ask(person("v"), asking);
    world.isHistoryAway = false;
    await world.clock.advance(120_000);
    assert.deepEqual([world.revoked, world.owed.length], [[1], 1]);
    // Then it makes room like the others.
    await appeals.ask(person("w"), asking);
    assert.throws(() => appeals.get(GUILD, id), isFailure("expired"));
  });

  test("has one thread, also where Discord's answer to the first try was lost or the process was killed", async () => {
    const world = new World();
    const { appeals } = world.start();
    const { id } = await appeals.ask(person("u"), asking);
    world.isThreadAnswerLost = true;
    await assert.rejects(appeals.talk(person("max"), id), isFailure("paused"));
    world.isThreadAnswerLost = false;
    const next = world.start();
    await next.start();
    const talks = await Promise.all([
      next.appeals.talk(person("max"), id),
      next.appeals.talk(person("kim"), id),
    ]);
    assert.deepEqual([new Set(talks).size, world.opened.length], [1, 1]);
  });

  test("is about the ban that stands; a name that nobody has, or several have, is about none", async () => {
    const world = new World();
    const { appeals } = world.start();
    const known = await appeals.ask(person("u"), { ...asking, typedName: "Ann" });
    const unknown = await appeals.ask(person("v"), { ...asking, typedName: "Bo*b*" });
    assert.deepEqual(
      [known.player, known.caseNumber, known.provenBy, unknown.player, unknown.caseNumber],
      [ann, 1, undefined, undefined, undefined],
    );
    await world.clock.advance(60_000);
    assert.match(world.sink.text("staff"), /Bo\\\*b\\\*/);
    assert.match(world.sink.text("staff"), /> It was my brother\.\n> \\# @/);
  });

  test("is about what counts now where a ban was lifted and something else came after it", async () => {
    const world = new World();
    const { appeals } = world.start();
    world.lift = { ...world.one, number: 2, kind: "unban", atMs: 5 };
    world.later = { ...world.one, number: 3, kind: "kick", atMs: 9 };
    assert.equal((await appeals.ask(person("u"), asking)).caseNumber, 3);
    world.later = undefined;
    assert.equal((await appeals.ask(person("v"), asking)).caseNumber, 1, "it still stands in the records");
  });

  test("that was answered by a clock that was a month ahead keeps nobody from asking again for longer than a week", async () => {
    const world = new World();
    const { appeals } = world.start();
    const { id } = await appeals.ask(person("u"), asking);
    world.clock.step(30 * 86_400_000);
    await appeals.decide(person("max"), id, { isAccepted: false, unbans: false });
    world.clock.step(-30 * 86_400_000);
    await world.clock.advance(7 * 86_400_000 + 1);
    appeals.refuseForm(person("u"));
    await appeals.ask(person("u"), asking);
  });

  test("that nobody answers makes room after 60 days, and an answered one after a week", async () => {
    const world = new World();
    const { appeals } = world.start();
    const { id } = await appeals.ask(person("u"), asking);
    await assert.rejects(appeals.ask(person("u"), asking), isFailure("bad-command"));
    assert.throws(() => appeals.refuseForm(person("u")), /waits for an answer/);
    appeals.refuseForm(person("v"));
    await world.clock.advance(61 * 86_400_000);
    appeals.refuseForm(person("u"));
    const again = await appeals.ask(person("u"), asking);
    assert.throws(() => appeals.get(GUILD, id), isFailure("expired"));
    await appeals.decide(person("max"), again.id, { isAccepted: false, unbans: false });
    await world.clock.advance(6 * 86_400_000);
    await assert.rejects(appeals.ask(person("u"), asking), /in 1 day/);
    assert.throws(() => appeals.refuseForm(person("u")), /in 1 day/);
    await world.clock.advance(86_400_001);
    appeals.refuseForm(person("u"));
    await appeals.ask(person("u"), asking);
    world.settings = DEFAULT_SETTINGS;
    await assert.rejects(appeals.ask(person("v"), asking), /off here/);
  });

  test("that was answered is erased with its player, one that waits is not", async () => {
    const world = new World();
    const { appeals } = world.start();
    const { id } = await appeals.ask(person("u"), asking);
    await appeals.forgetPlayer(GUILD, ann.id);
    assert.deepEqual(
      appeals.ofPlayer(GUILD, ann.id).map((one) => one.id),
      [id],
    );
    await appeals.decide(person("max"), id, { isAccepted: false, unbans: false });
    await world.clock.advance(1_000);
    await appeals.forgetPlayer(GUILD, ann.id);
    assert.deepEqual([appeals.ofPlayer(GUILD, ann.id), world.documents.keys], [[], []]);
  });
});
