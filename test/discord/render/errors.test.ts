import assert from "node:assert/strict";
import { test } from "node:test";
import { defectBody, failureBody, failureNote } from "../../../src/discord/render/errors.ts";
import { letCommandsRun } from "../../../src/discord/render/setup-guide-allow.ts";
import { Failure } from "../../../src/domain/failure.ts";
import { knownRefusal } from "../../../src/domain/ports/command-permission.ts";

const text = (failure: Failure, manages = false) =>
  failureBody(failure, { reference: "ref", manages, runs: true }).cards?.[0]?.description ?? "";

test("an error of a command says whether it ran, why, the next step with its time, and a reference, in this order", () => {
  const failure = new Failure("rate-limited", "Too many.", { retryAtMs: 61_000, commandId: "c-1" });
  const said = text(failure);
  const order = [
    "It did not run",
    "Too many",
    "**Next:** Try again after <t:61:T> (<t:61:R>).",
    "ref",
    "c-1",
  ].map((part) => said.indexOf(part));
  assert.ok(
    order.every((at, index) => at >= 0 && at >= (order[index - 1] ?? 0)),
    said,
  );
});

test("what the service says to whoever programmed Marshal stands small, as its words", () => {
  const said = "You are temporarily blocked because of too many invalid requests.";
  const shown = text(new Failure("blocked", said, { retryAtMs: 61_000 }));
  assert.match(shown, /It did not run\.\*\*\n[\s\S]*-# The game service said: You are temporarily blocked/);
});

test("what the service says of the owner's page stands below, whoever reads it", () => {
  const refused = new Failure("not-authorised", "You are not authorized. Visit the page.");
  for (const manages of [true, false])
    assert.match(
      text(refused, manages),
      /-# The game service said: You are not authorized\. Visit the page\./,
    );
});

test("a refusal from memory says since when it is known, and quotes nothing as its answer", () => {
  const known = knownRefusal(61_000, 4000);
  for (const manages of [true, false]) {
    const [card] = failureBody(known, { reference: "ref", manages, runs: true }).cards ?? [];
    assert.equal(card?.title, "⛔ The owner does not let Marshal run commands");
    assert.equal(
      card?.description,
      "**It did not run.** Known since <t:61:f>. The game service was not asked again.\n" +
        "**Next:** Someone with Manage Server can check again: `/setup start`, **Let Marshal run commands**.\n" +
        "-# Reference `ref`",
    );
  }
  const next = letCommandsRun("b");
  const { rows } = failureBody(known, { reference: "ref", manages: true, runs: true, next });
  assert.deepEqual(rows, [[next]]);
});

test("a manager of the Discord server reads what to do, everyone else reads whom to ask", () => {
  const denied = new Failure("denied", "No tier.", { wants: "tier" });
  assert.match(text(denied), /Ask a manager for a role\. `\/staff check` shows them/);
  assert.match(text(denied, true), /give one of your roles a tier with `\/staff allow`/);
});

test("where no tier would help, nobody is sent to look for why", () => {
  const outranks = new Failure("denied", "Luna outranks you (Administrator in the game).");
  assert.equal(text(outranks), "**It did not run.**\n-# Reference `ref`");
  assert.equal(text(outranks, true), "**It did not run.**\n-# Reference `ref`");
});

test("a next step that is a button is not repeated in words", () => {
  const next = { kind: "button", style: "primary", label: "Link a server", id: "setup-link" } as const;
  for (const runs of [true, false]) {
    const gone = new Failure("key-rejected", "Gone.");
    const { cards, rows } = failureBody(gone, { reference: "ref", next, runs });
    const text = cards?.[0]?.description ?? "";
    assert.doesNotMatch(text, /Someone with|owner/);
    // As the card of the command that found it out.
    assert.equal(/\*\*Next:\*\* Press \*\*Link a server\*\*/.test(text), runs);
    assert.deepEqual(rows, [[next]]);
  }
});

test("that a key is wrong or expired is said once", () => {
  const said = (message: string) => text(new Failure("key-rejected", message, { isRead: true }));
  assert.match(
    said("You provided an invalid or expired server-key."),
    /^Someone with Manage Server can replace it/,
  );
  assert.match(
    said("That key is wrong or expired. No tries left for now."),
    /^No tries left for now\.\nSomeone with Manage Server/,
  );
  assert.match(said("This server key is banned from the game service."), /^This server key is banned/);
  const ran = text(new Failure("key-rejected", "You provided an invalid or expired server-key."));
  assert.match(ran, /^\*\*It did not run\.\*\*\n/);
  const typed = new Failure("key-rejected", "That key is wrong or expired. 1 try left.", { wants: "key" });
  assert.equal(
    failureNote(typed),
    "⛔ That key is wrong or expired. 1 try left.",
    "without a title nothing else says it",
  );
});

test("after an unknown outcome the text never says to try again", () => {
  const unknown = new Failure("unreachable", "No answer.", { ran: "unknown" });
  assert.match(text(unknown), /Check in the game/);
  assert.doesNotMatch(text(unknown), /[Tt]ry again/);
  const card = (failure: Failure) => failureBody(failure, { reference: "ref", runs: true }).cards?.[0];
  assert.match(card(unknown)?.title ?? "", /^❔/);
  // Red is for what did not run: a defect's card has it, too.
  const red = defectBody({ reference: "ref" }).cards?.[0]?.color;
  assert.notEqual(card(unknown)?.color, red);
  assert.equal(card(new Failure("unreachable", "No answer."))?.color, red);
});

test("a time is told with what may be done then, and with no cause that nobody gave", () => {
  const unknown = text(new Failure("platform", "No answer.", { ran: "unknown", retryAtMs: 61_000 }));
  assert.match(unknown, /No command can be sent before <t:61:T> \(<t:61:R>\)\./);
  assert.doesNotMatch(unknown, /asked Marshal to wait/, "an error page asks for nothing");
  const locked = new Failure("denied", "Too many wrong keys were tried.", { retryAtMs: 61_000 });
  assert.match(text(locked), /^Try again after <t:61:T> \(<t:61:R>\)\.$/m);
  assert.match(text(new Failure("rate-limited", "")), /Try again later\. Nothing is lost\./);
  for (const code of ["rate-limited", "blocked", "platform", "denied"] as const) {
    for (const ran of ["no", "unknown"] as const)
      assert.doesNotMatch(text(new Failure(code, "m", { ran, retryAtMs: 61_000 })), /When:|again then/);
  }
});

test("what configures says what is the matter, and nothing of whether it ran", () => {
  const said = (failure: Failure) => failureBody(failure, { reference: "ref" }).cards?.[0]?.description ?? "";
  assert.match(said(new Failure("store", "Not kept.")), /^Not kept\.\nTell Marshal's host/);
  // Whatever it was about: what may have run is never left out.
  assert.match(said(new Failure("unreachable", "No answer.", { ran: "unknown" })), /may have run/);
});

test("the title is the answer: a mistake in what was typed and a missing right have texts of their own", () => {
  const shown = (code: "bad-command" | "denied" | "unreachable", message: string, runs = false) => {
    const [card] = failureBody(new Failure(code, message), { reference: "ref", runs }).cards ?? [];
    return [card?.title, ...(card?.description ?? "").split("\n")];
  };
  assert.deepEqual(shown("bad-command", "Unknown feed. Choose one from the list."), [
    "⛔ Unknown feed",
    "Choose one from the list.",
  ]);
  assert.deepEqual(shown("denied", "Only staff can see the queue."), [
    "⛔ Only staff can see the queue",
    "Ask a manager of this Discord server.",
    "-# Reference `ref`",
  ]);
  assert.deepEqual(shown("bad-command", ":kick names nobody. Write it like :kick name", true), [
    "⛔ :kick names nobody".replace(":", "\\:"),
    "**It did not run.** Write it like \\:kick name",
  ]);
  // A full stop in somebody's name ends no sentence; a title shows no role; a code of the service says what it means.
  assert.equal(
    shown("bad-command", 'Nobody called "a. b" was seen. Choose.')[0],
    '⛔ Nobody called "a. b" was seen',
  );
  assert.equal(shown("denied", "The role <@&42> is denied :ban here.")[0], "⛔ You can't do this");
  assert.equal(shown("bad-command", "x".repeat(200))[0], "⛔ That didn't work");
  assert.equal(shown("unreachable", "No answer.")[0], "⛔ The game service is not answering");
});

test("a slip of the person's own has no reference, everything else has one", () => {
  const shown = (failure: Failure, runs = false) =>
    failureBody(failure, { reference: "ref", runs }).cards?.[0]?.description;
  const slip = "There is no case 99.";
  assert.equal(shown(new Failure("bad-command", slip, { isRead: true })), undefined);
  assert.equal(shown(new Failure("bad-command", slip), true), "**It did not run.**");
  for (const failure of [
    new Failure("bad-command", "Refused.", { serviceCode: 3001 }),
    new Failure("bad-command", "Refused.", { commandId: "c-1" }),
    new Failure("bad-command", "No clear answer.", { ran: "unknown" }),
    new Failure("denied", "No tier."),
    new Failure("expired", "This call is too old."),
    new Failure("not-linked", "Gone."),
    new Failure("not-linked", "No server is linked yet.", { wants: "server" }),
    new Failure("store", "Not kept."),
  ]) {
    assert.match(shown(failure) ?? "", /-# Reference `ref`/, failure.code);
    assert.match(shown(failure, true) ?? "", /-# Reference `ref`/, failure.code);
  }
});

test("what is over and says what to do in its own second sentence gets no other advice beside it", () => {
  const said = (message: string, runs: boolean) =>
    failureBody(new Failure("expired", message), { reference: "ref", runs }).cards?.[0]?.description;
  const own = "This call is too old. Ask for its time.";
  assert.equal(said(own, false), "Ask for its time.\n-# Reference `ref`");
  assert.equal(said(own, true), "**It did not run.** Ask for its time.\n-# Reference `ref`");
  const bare = "This call is too old.";
  assert.match(said(bare, false) ?? "", /^Run the slash command again\./);
  assert.match(said(bare, true) ?? "", /\*\*Next:\*\* Run the slash command again/);
});

test("a defect of a command sends people into the game, any other one does not", () => {
  const said = (runs: boolean) => defectBody({ reference: "ref", runs }).cards?.[0]?.description ?? "";
  assert.match(said(true), /^\*\*It may have run\.\*\*/);
  assert.match(said(false), /^Try again\. If it keeps happening/);
});

test("a history that cannot be read is not told as a store that cannot be written", () => {
  const failure = new Failure("store", "The watchlist is still loading.", { isRead: true });
  const [card] = failureBody(failure, { reference: "ref" }).cards ?? [];
  assert.equal(card?.title, "⛔ Marshal can't read its records right now");
  assert.match(card?.description ?? "", /watchlist is still loading\.\nTry again in a minute/);
});

test("what was only read says nothing of whether it ran", () => {
  const failure = new Failure("platform", "Nobody answered.", { isRead: true });
  const text = failureBody(failure, { reference: "ref" }).cards?.[0]?.description ?? "";
  assert.equal(text, "Nobody answered.\nTry again in a minute.\n-# Reference `ref`");
});
