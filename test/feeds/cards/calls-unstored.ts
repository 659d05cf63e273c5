import { type FeedsRig, withRig } from "../../support/feeds-rig.ts";

/** Emergency calls while the store cannot write: what the tests of it share, and the longest of them. */

export const diskFull = new Error("the disk is full");

export function withCalls(run: (rig: FeedsRig) => Promise<void>): Promise<void> {
  return withRig(run, {
    feeds: [
      { kind: "emergencyCalls", channelId: "calls" },
      { kind: "joins", channelId: "joins" },
    ],
  });
}

/** The service shows one call more. */
export function show(rig: FeedsRig, callNumber: number, callerId = 5): void {
  rig.calls.push({ team: "Police", unitIds: [7], callerId, startedAtS: rig.nowS, callNumber });
  rig.players = [5, 7].map((id) => ({
    player: { name: `P${id}`, id },
    team: "Police",
    permission: "Normal",
    wantedStars: 0,
  }));
}

export interface Outcome {
  /** When the first call came. */
  readonly firstS: number;
  /** Texts in the channel of the calls after the store took writes again, but that the cards come late. */
  readonly notices: readonly string[];
  /** Cards in that channel a while later. */
  readonly cards: number;
}

/** So many calls come and go, one a second, while no journal can be written; then the store takes them again. */
export async function showWhileFull(count: number): Promise<Outcome> {
  const outcome = Promise.withResolvers<Outcome>();
  await withCalls(async (rig) => {
    rig.stores.heads.refuseWrites = diskFull;
    const firstS = rig.nowS;
    for (let call = 1; call <= count; call++) {
      rig.calls = [];
      show(rig, call);
      await rig.poll().catch(() => undefined);
      await rig.clock.advance(1_000);
    }
    rig.calls = [];
    rig.stores.heads.refuseWrites = undefined;
    // A channel takes five messages in five seconds.
    await rig.pollAndFlush(count * 1_000 + 120_000);
    const texts = rig.sink.messages("calls").flatMap(({ body }) => body.content ?? []);
    const notices = texts.filter((text) => !text.startsWith("⏳ Late"));
    await rig.pollAndFlush(120_000);
    const messages = rig.sink.messages("calls");
    const cards = messages.filter(({ body }) => body.cards !== undefined).length;
    outcome.resolve({ firstS, notices, cards });
  });
  return await outcome.promise;
}
