import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { ALERT_KINDS, type AlertKind } from "../../src/domain/alert-kinds.ts";
import type { Channel, Message } from "../../src/sandbox/discord/types.ts";
import { writePast } from "../../src/sandbox/past.ts";
import type { Sweep } from "./sweep-rig.ts";
import { PLAIN } from "./sweep-town.ts";

/** What Marshal says without being asked, of players and a server with hostile names. */

/** A server with as many places is full. */
export const CROWD = 24;

const THRESHOLDS: Readonly<Record<AlertKind, string>> = {
  kills: "3 in 60 s",
  punishments: "3 in 5 min",
  outside: "1 in 5 min",
  calls: "1 min",
  teams: "2 in 5 min",
  full: `${CROWD} players`,
  empty: "0 players",
};

/** A channel of its own for each thing that comes by itself. */
export class Unasked {
  readonly #sweep: Sweep;
  readonly #alerts = new Map<AlertKind, Channel>();
  readonly notices: Channel;
  readonly audit: Channel;
  readonly cases: Channel;
  readonly watches: Channel;
  readonly panel: Channel;
  readonly weekly: Channel;
  readonly calls: Channel;

  constructor(sweep: Sweep) {
    this.#sweep = sweep;
    const { guild } = sweep.home;
    const channel = (name: string) => guild.addChannel({ name });
    for (const kind of ALERT_KINDS) this.#alerts.set(kind, channel(`alert-${kind}`));
    this.notices = channel("notices");
    this.audit = channel("audit");
    this.cases = channel("cases");
    this.watches = channel("watches");
    this.panel = channel("panel");
    this.weekly = channel("weekly");
    this.calls = channel("calls");
  }

  alert(kind: AlertKind): Channel {
    return this.#alerts.get(kind) ?? assert.fail(kind);
  }

  /** Turns everything on. */
  async turnOn(): Promise<void> {
    const { rig, home, names } = this.#sweep;
    const { staffRole: ping } = home;
    await this.#sweep.reads("setup notices", { channel: this.notices }, /Notices are posted in/);
    await this.#sweep.reads("audit channel", { channel: this.audit }, /./);
    await this.#sweep.reads("setup cases", { channel: this.cases }, /Cases are posted in/);
    await this.#sweep.reads("setup watches", { channel: this.watches, ping }, /Joins of watched players/);
    await this.#sweep.reads("stats weekly", { channel: this.weekly }, /on Mondays at 9:00/);
    await this.#sweep.reads("server panel", { channel: this.panel }, /Panel posted/);
    const escalate = { escalate: 1, ping };
    await this.#sweep.reads(
      "feed add",
      { kind: "mod-calls", channel: this.calls, ...escalate },
      /Feed added/,
    );
    for (const [kind, channel] of this.#alerts) {
      const options = { kind, channel, ping, threshold: THRESHOLDS[kind] };
      await this.#sweep.reads("alert add", options, /Alert added/);
    }
    await rig.polled("KillLogs", "CommandLogs", "ModCalls", "Players");
    await this.#sweep.reads("player watch", { player: PLAIN, reason: names[0] ?? "" }, /is now watched/);
  }

  /** What each alert waits for happens, by and to people with hostile names. */
  async happens(): Promise<readonly Message[]> {
    const { rig, names } = this.#sweep;
    const { town } = rig;
    const refs = town.world.players.map(({ ref }) => ref);
    const [killer, other] = [refs[1] ?? assert.fail(), refs[2] ?? assert.fail()];
    for (let nth = 0; nth < 3; nth += 1)
      for (const who of [killer, other]) {
        town.kill(who, refs[3 + nth] ?? killer);
        town.say(who, `:kick ${names[nth] ?? ""} ${names[nth + 1] ?? ""}`);
      }
    for (const name of names.slice(0, 3)) town.runRemote(`:pm ${name} ${name}`);
    for (const caller of refs.slice(4, 7)) town.modCall(caller);
    town.leave(PLAIN);
    await rig.polled("Players");
    town.join(PLAIN, 8_000_000_000);
    while (town.players.length < CROWD) town.join(names[town.players.length % names.length]);
    // A call that waits for a minute is told of; a busy machine takes longer than patience for that minute.
    await rig.clock.sleep(70_000);
    const posted = [
      await rig.posted(this.alert("kills"), "kills"),
      await rig.posted(this.alert("punishments"), "punishments"),
      await rig.posted(this.alert("outside"), "outside Marshal"),
      await rig.posted(this.alert("calls"), "nobody has answered"),
      await rig.posted(this.alert("full"), "The server is filling up"),
      await rig.posted(this.watches, "watched player joined"),
      await rig.posted(this.cases, "Kick · case"),
      await rig.posted(this.calls, "staff were pinged again"),
      await rig.posted(this.panel, "players"),
    ];
    town.empty();
    return [...posted, await rig.posted(this.alert("empty"), "The server is empty")];
  }

  /** The bot was down over a Monday at nine: the week comes late, with its pictures. */
  async weekComes(): Promise<Message> {
    const { rig } = this.#sweep;
    await rig.stop();
    const file = join(dirname(rig.storePath), "history.sqlite");
    writePast({ file, nowS: Math.floor(rig.clock.nowMs() / 1_000), seed: 1 });
    const weekMs = 7 * 86_400_000;
    rig.clock.jump(weekMs);
    await rig.startBot();
    const week = await rig.posted(this.weekly, "Week of");
    assert.equal(week.embeds.filter(({ image }) => image !== undefined).length, 2);
    return week;
  }

  /** The key works no more: the notice of it, and of the schedules that end with the server. */
  async ends(): Promise<void> {
    const { rig, names } = this.#sweep;
    const what = `:h ${names[1] ?? ""}`;
    await this.#sweep.reads("schedule add", { what, when: "every 30 min" }, /Next:/);
    rig.keys.add(rig.service.regenerateKey(rig.key));
    const parked = await rig.posted(this.notices, "key");
    await this.#sweep.walker.openPosted(parked);
    await this.#sweep.walker.open("diagnose", {});
    await this.#sweep.walker.open("setup unlink", {});
    await rig.posted(this.notices, "schedule");
  }
}
