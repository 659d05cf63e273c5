import type { FaultSettings } from "../service/faults.ts";
import type { Stage } from "../stage.ts";
import { DiscordLevers } from "./discord-levers.ts";
import { dutyLevers } from "./duty-levers.ts";
import type { Lever } from "./lever.ts";
import { LinkCodes } from "./link-code.ts";
import type { LeverView } from "./panel-view.ts";
import { processLevers } from "./process-levers.ts";
import { ruleLevers } from "./rule-levers.ts";
import { townLevers } from "./town-levers.ts";

/** How long what is told to end by itself lasts: long enough to watch, short enough to wait for. */
const briefMs = 30_000;
const told429Ms = 15_000;
const address = "127.0.0.1";

interface Toggle {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly faults: Partial<FaultSettings>;
}

const OUTDATED: Toggle = {
  id: "outdated",
  label: "Old version",
  hint: "Answers 9999 until everyone has left once: empty or restart the server",
  faults: { code: 9999, codeChance: 1 },
};

/** After these nobody is in the game server. */
const EMPTYING: readonly string[] = ["empty", "game-restart"];

const toggles: readonly Toggle[] = [
  {
    id: "html",
    label: "HTML instead of JSON",
    hint: "A gateway error page comes where data should be",
    faults: { html: 1 },
  },
  {
    id: "command-500",
    label: "500 on commands",
    hint: "Commands end in an error; half of them ran all the same",
    faults: { command500: 1, command500Executed: 0.5 },
  },
  OUTDATED,
  { id: "slow", label: "Slow", hint: "Each answer takes 4 seconds", faults: { delayMs: 4_000 } },
  { id: "silent", label: "Silent", hint: "Connections open, no answer ever comes", faults: { silent: 1 } },
];

/** What a person can do to the town, the service, Discord and the bot; one set for all who look at the page. */
export class Levers {
  readonly #stage: Stage;
  readonly #levers: readonly Lever[];
  readonly #toggled = new Set<string>();
  readonly #codes: LinkCodes;
  #key: string;
  readonly #discord: DiscordLevers;
  /** By the lever. A world that began refusing has no fault in that. */
  #refusesCommands = false;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#codes = new LinkCodes(stage);
    this.#key = stage.serverKey;
    this.#discord = new DiscordLevers(stage);
    this.#levers = [
      ...townLevers(stage, this.#codes),
      ...ruleLevers(stage),
      ...dutyLevers(stage),
      ...this.#service(),
      ...this.#discord.levers(),
      ...this.#bot(),
    ];
  }

  /** The game server's key as it is now: a new one after it was regenerated. */
  get key(): string {
    return this.#key;
  }

  views(): readonly LeverView[] {
    return this.#levers.map(({ id, group, label, hint, isFault, isOn, isDisabled }) => ({
      id,
      group,
      label,
      hint,
      isFault,
      isOn: isOn?.() ?? false,
      isDisabled: isDisabled?.() ?? false,
    }));
  }

  /** Pulls one; returns what happened, in words. Throws on an unknown or disabled one. */
  async pull(id: string): Promise<string> {
    const lever = this.#levers.find((one) => one.id === id);
    if (lever === undefined) throw new Error("there is no such lever");
    if (lever.isDisabled?.() === true) throw new Error(`"${lever.label}" cannot be pulled now`);
    const words = await lever.pull();
    // The game starts its current version once nobody is in the old one.
    const hasEnded = EMPTYING.includes(id) && this.#toggled.has(OUTDATED.id);
    return hasEnded ? `${words}. ${this.#toggle(OUTDATED)}` : words;
  }

  #service(): readonly Lever[] {
    const { service } = this.#stage;
    const lever = (id: string, label: string, hint: string, pull: () => string): Lever => ({
      id,
      label,
      hint,
      pull,
      group: "service",
      isFault: true,
    });
    const identity = { address, application: undefined };
    return [
      lever("429", "429", "The next request has to wait 15 seconds", () => {
        service.faults.next({ tooMany: 1, tooManyRetryAfterMs: told429Ms });
        return "The next request is answered 429";
      }),
      {
        ...lever("block", "Invalid-request block", "Everything is refused for 30 seconds, with words", () => {
          service.blocks.block(identity, service.nowMs(), briefMs);
          return "The service blocks this address for 30 seconds";
        }),
        isOn: () => service.blocks.blockedUntilMs(identity, service.nowMs()) !== undefined,
      },
      {
        ...lever("block-page", "Block page", "The network shows an HTML page for 30 seconds", () => {
          service.blocks.showPage(address, service.nowMs(), briefMs);
          return "The network shows its block page for 30 seconds";
        }),
        isOn: () => service.blocks.pageFor(address, service.nowMs()),
      },
      ...toggles.map((toggle) => ({
        ...lever(toggle.id, toggle.label, toggle.hint, () => this.#toggle(toggle)),
        isOn: () => this.#toggled.has(toggle.id),
      })),
      {
        ...lever(
          "commands",
          "Refuse commands",
          "Reads go on, commands wait for the owner's permission",
          () => {
            const isAllowed = this.#areCommandsAllowed();
            service.keyBook.setCommandsAllowed(this.#key, !isAllowed);
            this.#refusesCommands = isAllowed;
            return isAllowed
              ? "The owner no longer lets Marshal run commands"
              : "The owner lets Marshal run commands";
          },
        ),
        isOn: () => !this.#areCommandsAllowed(),
      },
      lever("new-key", "Regenerate the key", "The bot's key stops working", () => {
        this.#key = service.regenerateKey(this.#key);
        return "The server has a new key; link it again with /setup";
      }),
    ];
  }

  #areCommandsAllowed(): boolean {
    return this.#stage.service.keyBook.commandsAllowed(this.#key);
  }

  #toggle(toggle: Toggle): string {
    if (!this.#toggled.delete(toggle.id)) this.#toggled.add(toggle.id);
    const { faults } = this.#stage.service;
    faults.clear();
    for (const { id, faults: settings } of toggles) if (this.#toggled.has(id)) faults.set(settings);
    return `The service: ${toggle.label} ${this.#toggled.has(toggle.id) ? "on" : "off"}`;
  }

  #bot(): readonly Lever[] {
    return [...processLevers(this.#stage), this.#clearing()];
  }

  #clearing(): Lever {
    const hint = "Everything works again; a key and a channel stay as they are";
    return {
      id: "clear",
      label: "Clear all faults",
      hint,
      group: "bot",
      isFault: false,
      pull: async () => this.#clear(),
    };
  }

  #clear(): string {
    this.#toggled.clear();
    this.#stage.service.faults.clear();
    this.#stage.service.forgive();
    this.#discord.clear();
    if (this.#refusesCommands) this.#stage.service.keyBook.setCommandsAllowed(this.#key, true);
    this.#refusesCommands = false;
    for (const bot of this.#stage.bots) bot.start();
    return "All faults are cleared";
  }
}
