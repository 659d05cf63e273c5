import type { Actor, ChannelView, Given } from "../protocol.ts";
import { h } from "./dom.ts";
import type { Store } from "./store.ts";

/** Something to begin with: a command that is sent, or a lever that is pulled while one looks at its channel. */
export interface FirstStep {
  readonly words: string;
  readonly button: string;
  /** Who does it, where it is not whoever is there. */
  readonly as?: Actor;
  readonly line: string;
  readonly options?: Readonly<Record<string, Given>>;
  readonly lever?: string;
  readonly channel?: string;
}

const WELCOME = ":h Welcome to the server";

const STEPS: readonly FirstStep[] = [
  { words: "See the game server at a glance", button: "Show it", line: "server status" },
  {
    words: "Say something in the game, as a moderator",
    button: "Run it",
    as: "moderator",
    line: "run command",
    options: { text: WELCOME },
  },
  {
    words: "A player calls a moderator: the call comes into #mod-calls",
    button: "Call",
    line: "Levers, Mod call",
    lever: "mod-call",
    channel: "mod-calls",
  },
];

/** Nothing is linked: the way of an owner's first evening. The key to paste stands in the town panel. */
function emptySteps(store: Store): readonly FirstStep[] {
  const guided = store.commands.some(({ line }) => line === "setup start");
  return [
    {
      words: "Link the game server: its key is under Levers, next to the town's name",
      button: guided ? "Start" : "Link it",
      as: "owner",
      line: guided ? "setup start" : "setup link",
    },
    { words: "See what is set up", button: "Show it", as: "owner", line: "setup show" },
    { words: "Ask Marshal what you can do", button: "Ask", line: "help" },
  ];
}

/** The first channel of the Discord server begins with it, as long as one sees its beginning. */
export function isFirstPage(channel: ChannelView, store: Store): boolean {
  return store.channels.find(({ type }) => type === 0)?.id === channel.id;
}

/** What this page is, what to type, and three buttons that do it. */
export function firstPage(store: Store, begin: (step: FirstStep) => void): HTMLElement {
  const steps = store.world?.isEmpty === true ? emptySteps(store) : STEPS;
  return h(
    "section",
    { class: "first-page", "aria-label": "What to begin with" },
    h("h2", {}, "Marshal's sandbox"),
    h(
      "p",
      {},
      "A Discord of its own, with the real bot in it and a town that lives. Nothing leaves this machine. Type / in the box below for all commands, or begin here:",
    ),
    h("ul", {}, ...steps.map((step) => stepNode(step, begin))),
    h(
      "p",
      {},
      "Under Levers you make things happen and break things; beside your name you act as owner, moderator or member.",
    ),
  );
}

function stepNode(step: FirstStep, begin: (step: FirstStep) => void): HTMLElement {
  const { words, button, line, options = {}, lever } = step;
  const given = Object.entries(options).map(([name, value]) => ` ${name}: ${String(value)}`);
  const typed = lever === undefined ? `/${line}${given.join("")}` : line;
  return h(
    "li",
    {},
    h("div", {}, h("p", {}, words), h("code", { class: "md-code" }, typed)),
    h(
      "button",
      {
        type: "button",
        class: "button primary",
        "aria-label": `${button}: ${words}`,
        onclick: () => begin(step),
      },
      button,
    ),
  );
}
