import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { modCallRunActions } from "../../commands/mod-call-runs.ts";
import { modCallActions } from "../../commands/mod-calls.ts";
import { playerActs } from "../../commands/player-buttons.ts";
import type { Action, FormAction, Press } from "../../src/discord/command.ts";
import type { Services } from "../../src/discord/services.ts";
import { Failure } from "../../src/domain/failure.ts";
import { type Actor, type Binding, EMPTY_POLICY, type StaffPolicy } from "../../src/domain/guild.ts";
import type { SourceId } from "../../src/domain/model.ts";
import { createNoHistory } from "../../src/history/no-history.ts";
import { createPermissions } from "../../src/runs/permission/permissions.ts";
import { formOf } from "../support/fake-answers.ts";
import { actorOf, emptyLists, FakeWorld } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

const moderator = actorOf({ roleIds: ["mods"] });
const administrator = actorOf({ userId: "300", roleIds: ["admins"] });
const member = actorOf({ userId: "200", userName: "Hal", roleIds: ["fans"] });
const MODS: StaffPolicy = { ...EMPTY_POLICY, roleTiers: { mods: "moderator", admins: "administrator" } };

class Buttons {
  readonly world = new FakeWorld();
  /** Cards of moderator calls in memory, by id. */
  readonly cards = new Map<string, { bindingId: string; callerName: string; calledAtS: number }>();
  readonly services: Services = {
    ...this.world.services,
    permissions: createPermissions({
      settings: this.world.settings,
      snapshots: this.world.services.snapshots,
      clock: this.world.clock,
      history: createNoHistory().players,
      report: assert.fail,
    }),
    modCalls: { ...this.world.services.modCalls, atHand: (_, cardId) => this.cards.get(cardId) },
  };

  async link(name: string, policy?: StaffPolicy): Promise<Binding> {
    const status = serverStatus({ name, joinKey: name });
    const binding = await this.world.linkServer(moderator.guildId, status, `key-of-${name}`);
    if (policy !== undefined) {
      await this.world.settings.change(moderator.guildId, (settings) => ({
        ...settings,
        policies: { ...settings.policies, [binding.id]: policy },
      }));
    }
    return binding;
  }

  joins(source: SourceId, name: string, id: number): void {
    const state = this.world.states.get(source);
    assert.ok(state !== undefined);
    const atMs = this.world.clock.nowMs();
    const value = [{ player: { name, id }, team: "Civilian", permission: "Normal", wantedStars: 0 }];
    this.world.states.set(source, { ...state, lists: { ...emptyLists(atMs), players: { atMs, value } } });
  }

  /** The title of the form that opens, or the failure that is shown in its place. */
  press(action: FormAction, argument: string, actor: Actor): string | Failure {
    const press: Press = {
      actor,
      argument,
      values: [],
      form: formOf({}),
      messageId: "9",
      signal: new AbortController().signal,
      reference: "r",
    };
    try {
      return action.form(press, this.services).title;
    } catch (error) {
      assert.ok(error instanceof Failure);
      return error;
    }
  }
}

const PLAYER_FORMS = [
  ["player-pm", "Message"],
  ["player-kick", "Kick"],
  ["player-jail", "Jail"],
  ["player-ban", "Ban"],
  ["player-note", "Note about"],
  ["player-warn", "Warn"],
  ["player-watch", "Watch"],
  ["player-ask", "Ask for a ban of"],
] as const;

const acts: Readonly<Record<string, Action>> = playerActs;

function playerForm(name: string): FormAction {
  const action = acts[name];
  assert.ok(action?.first === "modal", name);
  return action;
}

function refused(opened: string | Failure, words: RegExp): Failure {
  assert.ok(opened instanceof Failure, `a form opened: ${String(opened)}`);
  assert.equal(opened.code, "denied");
  assert.match(opened.message, words);
  return opened;
}

describe("a button whose form would be refused", () => {
  test("is refused at the press, with what mends it, and the audit shows who tried", async () => {
    const rig = new Buttons();
    const { id } = await rig.link("river", MODS);
    for (const [name, title] of PLAYER_FORMS) {
      const place = `${id}/4001`;
      assert.equal(rig.press(playerForm(name), place, administrator), `${title} this player`);
      const failure = refused(rig.press(playerForm(name), place, member), /Only \w+ can/);
      assert.deepEqual([failure.wants, failure.bindingId], ["tier", id]);
    }
    assert.deepEqual(
      rig.world.events.map(({ action, actorId }) => [action, actorId]),
      PLAYER_FORMS.map(() => ["press-refused", "200"]),
    );
  });

  test("is refused for want of a tier: a Moderator may kick and reads at once that a ban needs more", async () => {
    const rig = new Buttons();
    const { id } = await rig.link("river", MODS);
    assert.equal(rig.press(playerForm("player-kick"), `${id}/4001`, moderator), "Kick this player");
    refused(
      rig.press(playerForm("player-ban"), `${id}/4001`, moderator),
      /Only Administrators can run :\w+\. Current tier: Moderator/,
    );
  });

  test("names in its title whom it is about: by today's name, else by the one on the button", async () => {
    const rig = new Buttons();
    const { id, source } = await rig.link("river", MODS);
    for (const [name, title] of PLAYER_FORMS) {
      const press = (place: string) => rig.press(playerForm(name), `${id}/4001${place}`, administrator);
      rig.joins(source, "Riley_Brooks", 5);
      assert.equal(press("/Captain67"), `${title} Captain67`);
      rig.joins(source, "Captain68", 4001);
      assert.equal(press("/Captain67"), `${title} Captain68`);
      rig.joins(source, "a\u202eb".repeat(40), 4001);
      const longest = press("");
      assert.ok(typeof longest === "string" && longest.length <= 45 && !longest.includes("\u202e"));
    }
  });

  test("names the player in the audit while they are in the game", async () => {
    const rig = new Buttons();
    const { id, source } = await rig.link("river", MODS);
    rig.joins(source, "Riley_Brooks", 4001);
    rig.press(playerForm("player-kick"), `${id}/4001`, member);
    assert.deepEqual(
      rig.world.events.map(({ text }) => text),
      [":kick Riley_Brooks"],
    );
  });

  test("goes by a denied verb too: a Moderator without :jail reads it before a reason is written", async () => {
    const rig = new Buttons();
    const denied = [{ roleId: "mods", verb: "jail" }];
    const { id } = await rig.link("river", { ...MODS, denied });
    assert.equal(rig.press(playerForm("player-kick"), `${id}/4001`, moderator), "Kick this player");
    const failure = refused(rig.press(playerForm("player-jail"), `${id}/4001`, moderator), /can't run :jail/);
    assert.equal(failure.wants, undefined, "choosing roles mends no denial");
  });

  test("is decided by the server where the player is", async () => {
    const rig = new Buttons();
    const river = await rig.link("river", MODS);
    const lake = await rig.link("lake", { ...MODS, denied: [{ roleId: "mods", verb: "kick" }] });
    const kick = (bindingId: string) => rig.press(playerForm("player-kick"), `${bindingId}/4001`, moderator);
    refused(kick(lake.id), /can't run :kick/);
    rig.joins(river.source, "Riley_Brooks", 4001);
    assert.equal(kick(lake.id), "Kick Riley_Brooks");
    rig.joins(lake.source, "Riley_Brooks", 4001);
    refused(kick(lake.id), /can't run :kick/);
  });

  test("opens where they may do it on any server that may be meant", async () => {
    const rig = new Buttons();
    await rig.link("river", MODS);
    await rig.link("lake", EMPTY_POLICY);
    assert.equal(rig.press(playerForm("player-kick"), "/4001", moderator), "Kick this player");
    assert.equal(rig.press(playerForm("player-note"), "/4001", moderator), "Note about this player");
  });

  test("opens where memory tells nothing: what is submitted is decided anyway", async () => {
    const rig = new Buttons();
    const { id } = await rig.link("river");
    assert.equal(rig.press(playerForm("player-kick"), `${id}/4001`, member), "Kick this player");
    assert.deepEqual(rig.world.events, []);
  });

  test("opens for no name that the game would read as something else", async () => {
    const rig = new Buttons();
    const { id, source } = await rig.link("river", MODS);
    rig.joins(source, "all", 4001);
    rig.cards.set("here", { bindingId: id, callerName: "two words", calledAtS: 1 });
    const opened = [
      rig.press(playerForm("player-kick"), `${id}/4001`, moderator),
      rig.press(modCallRunActions["mod-pm"], "here", moderator),
    ];
    for (const failure of opened) {
      assert.ok(failure instanceof Failure);
      assert.match(failure.message, /The game would misread this name/);
    }
    assert.equal(rig.press(playerForm("player-note"), `${id}/4001`, moderator), "Note about all");
    assert.equal(
      rig.press(modCallActions["mod-resolve"], "here", moderator),
      "Resolve the call of two words",
    );
  });

  test("opens nowhere where no server is linked any more", () => {
    const rig = new Buttons();
    const opened = [
      ...PLAYER_FORMS.map(([name]) => rig.press(playerForm(name), "gone/4001", moderator)),
      rig.press(modCallActions["mod-resolve"], "gone", moderator),
      rig.press(modCallRunActions["mod-pm"], "gone", moderator),
    ];
    for (const failure of opened) {
      assert.ok(failure instanceof Failure);
      assert.deepEqual([failure.code, failure.wants], ["not-linked", "server"]);
    }
  });

  test("on the card of a call goes by that call's server, and by all of them once the card is not in memory", async () => {
    const rig = new Buttons();
    const river = await rig.link("river", MODS);
    const lake = await rig.link("lake", EMPTY_POLICY);
    rig.cards.set("here", { bindingId: river.id, callerName: "Casey", calledAtS: 1 });
    rig.cards.set("there", { bindingId: lake.id, callerName: "Casey", calledAtS: 1 });
    const forms = [
      [modCallActions["mod-resolve"], "Resolve the call of", "a player", /Only Moderators can take calls/],
      [modCallRunActions["mod-pm"], "Message", "the caller", /Only Moderators can run :pm/],
    ] as const;
    for (const [action, title, somebody, words] of forms) {
      assert.equal(rig.press(action, "here", moderator), `${title} Casey`);
      refused(rig.press(action, "there", moderator), words);
      assert.equal(rig.press(action, "gone", moderator), `${title} ${somebody}`);
      for (const card of ["here", "there", "gone"]) refused(rig.press(action, card, member), words);
    }
    const texts = new Set(rig.world.events.map(({ text }) => text));
    assert.ok(texts.has("resolve the call of Casey"));
  });
});
