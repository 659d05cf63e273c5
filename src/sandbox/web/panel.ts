import { stripVTControlCharacters } from "node:util";
import type { Stage } from "../stage.ts";
import { botView, partOf } from "./bot-state.ts";
import { Levers } from "./levers.ts";
import type { BotView, LogLine, PanelView } from "./panel-view.ts";
import { townView } from "./town-view.ts";

const everyMs = 1_000;
const linesKept = 60;
/** A lever's effect is looked for sooner than the next round. */
const soonMs = 150;

type Listener = (panel: PanelView) => void;

/** What stands in the town panel: asked of the bot once a second while someone looks, and at once after a lever. */
export class Panel {
  readonly levers: Levers;
  readonly #stage: Stage;
  readonly #listeners = new Set<Listener>();
  readonly #log: LogLine[] = [];
  readonly #ends: (() => void)[];
  #starts = 0;
  #bot: BotView | undefined;
  /** What each process does, in their order. */
  #parts: readonly string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #asking: Promise<void> | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.levers = new Levers(stage);
    const several = stage.bots.length > 1;
    this.#ends = stage.bots.flatMap((bot, index) => [
      bot.onLine((line) => this.#heard(line, several ? `${index + 1}: ` : "")),
      bot.onExit(({ code, signal, expected }) => {
        this.#bot = undefined;
        const who = several ? `Process ${index + 1}` : "The bot";
        if (!expected)
          this.note("sandbox", `${who} ended by itself (${signal ?? `exit code ${code}`})`, true);
        void this.refresh();
      }),
    ]);
  }

  /** Counts a start of the bot that was not a lever's. */
  started(): void {
    this.#starts += 1;
  }

  /** Adds a line to what has happened. */
  note(who: LogLine["who"], text: string, isBad = false): void {
    this.#log.push({ atMs: Date.now(), who, isBad, text: text.slice(0, 300) });
    if (this.#log.length > linesKept) this.#log.shift();
  }

  /** Pulls a lever and shows at once what it did. */
  async pull(id: string): Promise<void> {
    const pid = this.#stage.bot.pid;
    const said = await this.levers.pull(id);
    if (this.#stage.bot.pid !== undefined && this.#stage.bot.pid !== pid) this.#starts += 1;
    this.note("you", said);
    await this.refresh();
    setTimeout(() => void this.refresh(), soonMs).unref();
  }

  /** The first look comes at once; the returned function ends it. */
  watch(listener: Listener): () => void {
    this.#listeners.add(listener);
    listener(this.view());
    void this.refresh();
    this.#timer ??= setInterval(() => void this.refresh(), everyMs);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Asks the bot for its state and tells whoever watches. One question at a time. */
  async refresh(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
  }

  view(): PanelView {
    const { service, bot } = this.#stage;
    const { requests, answers429, avoidable, executions } = service.counts;
    return {
      nowMs: Date.now(),
      town: townView(this.#stage.town, this.levers.key),
      service: { requests, answers429, avoidable, executed: executions.length },
      process: {
        isRunning: bot.running,
        ...(bot.pid === undefined ? {} : { pid: bot.pid }),
        starts: this.#starts,
      },
      processes: this.#stage.bots.map(({ pid, running }, index) => ({
        number: index + 1,
        ...(pid === undefined ? {} : { pid }),
        part: running ? (this.#parts[index] ?? "starting…") : "not running",
      })),
      ...(this.#bot === undefined ? {} : { bot: this.#bot }),
      levers: this.levers.views(),
      log: this.#log,
    };
  }

  async close(): Promise<void> {
    for (const end of this.#ends) end();
    clearInterval(this.#timer);
    this.#listeners.clear();
    await this.#asking;
  }

  async #ask(): Promise<void> {
    const { bots } = this.#stage;
    const states = await Promise.all(bots.map((bot) => (bot.running ? bot.state() : undefined)));
    this.#parts = states.map((state) => partOf(state));
    const serving = bots.length > 1 ? this.#parts.findIndex((part) => part.startsWith("serves")) : 0;
    this.#bot = botView(states[serving]);
    const panel = this.view();
    for (const listener of this.#listeners) listener(panel);
  }

  /** Of the bot's log, what a person wants to know: warnings, errors, and what is not JSON. */
  #heard(line: string, prefix: string): void {
    const entry = logEntry(line);
    // The token is an emulated one, but the page is no place for any.
    const text = stripVTControlCharacters(entry.text).replaceAll(this.#stage.discord.token, "(token)");
    this.note("bot", prefix + text, entry.isBad);
  }
}

/** One line of the bot's log: pino's JSON, or whatever it is. */
export function logEntry(line: string): { readonly text: string; readonly isBad: boolean } {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed !== "object" || parsed === null || !("msg" in parsed))
      return { text: line, isBad: false };
    const level = "level" in parsed && typeof parsed.level === "number" ? parsed.level : 30;
    const asked = "route" in parsed && "outcome" in parsed ? ` (${parsed.route}: ${parsed.outcome})` : "";
    return { text: String(parsed.msg) + asked, isBad: level >= 40 };
  } catch {
    return { text: line, isBad: true };
  }
}
