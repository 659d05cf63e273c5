import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../src/domain/failure.ts";
import { host, nothingDemanded, SERVER, SessionWorld, voter } from "./session-world.ts";

/** What people do in one evening; a press that was not answered, because the process was killed, is repeated. */
const EVENING: readonly ((world: SessionWorld) => Promise<unknown>)[] = [
  ({ sessions }) => sessions.vote(host, SERVER, { minutes: 60 }),
  ({ sessions, current }) => sessions.press(voter("5"), current?.id ?? "", "in"),
  ({ sessions, current }) => sessions.press(voter("6"), current?.id ?? "", "in"),
  ({ sessions }) => sessions.start(host, SERVER, {}),
  ({ sessions }) => sessions.call(host, SERVER, "full"),
  ({ sessions }) => sessions.end(host, SERVER),
];

/** Answered, refused in words, or the process was killed meanwhile. */
async function attempt(world: SessionWorld, step: (world: SessionWorld) => Promise<unknown>) {
  const { process } = world;
  let outcome: "answered" | "refused" | undefined;
  step(world).then(
    () => {
      outcome = "answered";
    },
    (error: unknown) => {
      assert.ok(error instanceof Failure, String(error));
      outcome = "refused";
    },
  );
  await world.clock.until(() => outcome !== undefined || killed.has(process), 60_000);
  return outcome ?? "killed";
}

const killed = new WeakSet<object>();

/** The whole evening, with a kill at that step of the process in the world. Answers whether there was such a step. */
async function evening(killAt: number): Promise<boolean> {
  const world = await SessionWorld.open();
  let steps = 0;
  world.onStep = () => {
    steps += 1;
    if (steps !== killAt) return;
    killed.add(world.process);
    world.process.kill();
  };
  const restart = async () => {
    // Discord knows a nonce for minutes only.
    if (killAt % 2 === 0) await world.clock.advance(5 * 60_000);
    await world.restart();
  };
  const restartIfKilled = async () => {
    if (killed.has(world.process)) await restart();
  };
  for (const step of EVENING) {
    if ((await attempt(world, step)) === "killed") {
      await restart();
      // What was done but not answered is refused now, or done once more.
      await attempt(world, step);
    }
    await world.clock.advance(30_000);
    await restartIfKilled();
  }
  await world.clock.advance(5 * 60_000);
  await restartIfKilled();
  await world.clock.advance(10 * 60_000);

  const titles = world.messages.map(({ body }) => body.cards?.[0]?.title ?? "");
  const count = (words: string) => titles.filter((title) => title.includes(words)).length;
  const seen = `killed at step ${killAt}: ${titles.join(" / ")}`;
  assert.deepEqual([count("Vote"), count("Session over"), count("is full"), count("📋")], [1, 1, 1, 1], seen);
  assert.equal(titles.length, 4, seen);
  assert.match(world.text("Vote"), /\*\*2\*\* of \*\*2\*\*.*\n✅ The session has started/, seen);
  const pings = world.messages.filter(({ sent }) => sent.pingRoleIds !== undefined);
  assert.ok(pings.length <= 2, seen);
  const past = await world.sessions.past(SERVER.guildId, SERVER.id);
  assert.deepEqual([past.length, world.process.sessions.keys], [1, []], seen);
  assert.ok(nothingDemanded(world), seen);
  return steps >= killAt;
}

describe("an evening of sessions", () => {
  test("is the same wherever the process is killed in it", async () => {
    let killAt = 1;
    while (await evening(killAt)) killAt += 1;
    assert.ok(killAt > 40, `only ${killAt} steps`);
  });
});
