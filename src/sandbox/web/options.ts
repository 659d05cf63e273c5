import { ACTORS, type Actor } from "./protocol.ts";

/** What `npm run sandbox` was asked for. */
export interface SandboxOptions {
  readonly mode: "page" | "tour" | "shot" | "help";
  readonly port: number;
  readonly seed: number;
  /** Leaves linking and feeds to whoever looks. */
  readonly empty: boolean;
  /** Bot processes; several share a Redis, of which one serves. */
  readonly processes: number;
  /** Where the bot's data stays; else a temporary folder. */
  readonly keep?: string;
  readonly shot: ShotOptions;
}

export interface ShotOptions {
  readonly file: string;
  readonly channel: string;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly actor: Actor;
  /** Lines as they would be typed into the box, in order. */
  readonly lines: readonly string[];
  readonly isLight: boolean;
  /** Ids of levers to pull before. */
  readonly levers: readonly string[];
}

/** A bad option: one line that says which and what was expected. */
export class UsageError extends Error {}

const defaultPort = 4_680;

export const helpText = `npm run sandbox [-- OPTIONS]

Without options: a page at http://127.0.0.1:${defaultPort} with an emulated Discord, the real bot and a living town.

  --port N             another port (0: any free one)
  --seed S             another town; the same number gives the same one (default 1)
  --empty              no server linked, no feeds, commands not allowed yet: do it yourself, with /setup
  --keep FOLDER        keep the bot's data there, to look at afterwards (the emulated Discord is new each time)
  --processes N        N bot processes on one Redis (redis-server or valkey-server): one serves, the others take over
  --tour               no page: a scripted tour, printed; exit code 0 only if each step was seen
  --help               this text

  --shot FILE.png      start, do what is asked below, wait until the page is still, save a picture of it, end
    --channel NAME     which channel is open (default: mod-calls; with --do: staff-room)
    --as WHO           owner, moderator or member (default: moderator)
    --do LINE          type this into the box and press Enter; may be given several times
    --lever ID         pull one of the panel's levers first, such as kill-spree; may be given several times
    --width N          pixels, 320 to 3840 (default 1280)
    --height N         pixels, 400 to 4000 (default 800)
    --light            the light theme
`;

type Draft = { -readonly [K in keyof Omit<SandboxOptions, "shot">]: SandboxOptions[K] } & {
  shot: { -readonly [K in keyof ShotOptions]: ShotOptions[K] };
  lines: string[];
  levers: string[];
  only: string[];
};

type Apply = (draft: Draft, value: string) => void;

function whole(flag: string, low: number, high: number, apply: (draft: Draft, value: number) => void): Apply {
  return (draft, value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < low || number > high)
      throw new UsageError(`--${flag} must be a whole number from ${low} to ${high}, not "${value}"`);
    apply(draft, number);
  };
}

/** Options of a picture make no sense without one, and are refused rather than ignored. */
function ofShot(flag: string, apply: Apply): Apply {
  return (draft, value) => {
    draft.only.push(flag);
    apply(draft, value);
  };
}

const valued: Readonly<Record<string, Apply>> = {
  port: whole("port", 0, 65_535, (draft, value) => {
    draft.port = value;
  }),
  seed: whole("seed", 0, 2 ** 31 - 1, (draft, value) => {
    draft.seed = value;
  }),
  processes: whole("processes", 1, 9, (draft, value) => {
    draft.processes = value;
  }),
  keep: (draft, value) => {
    draft.keep = value;
  },
  shot: (draft, value) => {
    if (!value.endsWith(".png")) throw new UsageError(`--shot must name a .png file, not "${value}"`);
    draft.mode = "shot";
    draft.shot.file = value;
  },
  channel: ofShot("channel", (draft, value) => {
    draft.shot.channel = value.replace(/^#/, "");
  }),
  as: ofShot("as", (draft, value) => {
    const actor = ACTORS.find((one) => one === value);
    if (actor === undefined) throw new UsageError(`--as must be owner, moderator or member, not "${value}"`);
    draft.shot.actor = actor;
  }),
  do: ofShot("do", (draft, value) => draft.lines.push(value)),
  lever: ofShot("lever", (draft, value) => draft.levers.push(value)),
  width: ofShot(
    "width",
    whole("width", 320, 3_840, (draft, value) => {
      draft.shot.widthPx = value;
    }),
  ),
  height: ofShot(
    "height",
    whole("height", 400, 4_000, (draft, value) => {
      draft.shot.heightPx = value;
    }),
  ),
};

const switches: Readonly<Record<string, (draft: Draft) => void>> = {
  tour: (draft) => {
    draft.mode = "tour";
  },
  help: (draft) => {
    draft.mode = "help";
  },
  empty: (draft) => {
    draft.empty = true;
  },
  light: (draft) => {
    draft.only.push("light");
    draft.shot.isLight = true;
  },
};

/** Reads the arguments. Throws UsageError. */
export function readOptions(args: readonly string[]): SandboxOptions {
  const draft: Draft = {
    mode: "page",
    port: defaultPort,
    seed: 1,
    empty: false,
    processes: 1,
    lines: [],
    levers: [],
    only: [],
    shot: {
      file: "",
      channel: "",
      widthPx: 1_280,
      heightPx: 800,
      actor: "moderator",
      isLight: false,
      lines: [],
      levers: [],
    },
  };
  for (let index = 0; index < args.length; index += 1) {
    const [name = "", inline] = splitFlag(args[index] ?? "");
    const toggle = Object.hasOwn(switches, name) ? switches[name] : undefined;
    const apply = Object.hasOwn(valued, name) ? valued[name] : undefined;
    if (toggle !== undefined && inline === undefined) toggle(draft);
    else if (apply !== undefined) {
      if (inline === undefined) index += 1;
      const value = inline ?? args[index];
      if (value === undefined) throw new UsageError(`--${name} needs a value; see --help`);
      apply(draft, value);
    } else throw new UsageError(`there is no option "${args[index]}"; see --help`);
  }
  return finished(draft);
}

function splitFlag(arg: string): readonly [string | undefined, string | undefined] {
  const match = /^--([a-z]+)(?:=(.*))?$/s.exec(arg);
  return [match?.[1], match?.[2]];
}

function finished({ lines, levers, only, shot, ...rest }: Draft): SandboxOptions {
  if (rest.mode !== "shot" && only[0] !== undefined)
    throw new UsageError(`--${only[0]} is for a picture: give --shot FILE.png too`);
  const channel = shot.channel === "" ? (lines.length > 0 ? "staff-room" : "mod-calls") : shot.channel;
  return { ...rest, shot: { ...shot, channel, lines, levers } };
}
