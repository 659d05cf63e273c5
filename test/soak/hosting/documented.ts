import { textOf } from "../../deploy/deploy-files.ts";

/** What cannot be run on a machine without an engine, a cluster or a systemd of its own, by the words that it begins with. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  "sudo apt": "apt: packages of the system",
  "docker compose":
    "docker compose: the files are read by its parser, and what runs in the containers is run in a sandbox",
  "docker build": "docker build: npm run soak -- image follows the Dockerfile",
  "docker image": "docker image prune",
  "docker push": "docker push",
  "docker volume": "docker volume rm",
  "bash deploy/cluster-backup.sh": "cluster-backup.sh: npm test runs it on a real Redis and PostgreSQL",
  "sudo systemctl": "systemctl: the commands of the units are run in their sandbox",
  "sudo bash": "systemd-run: what it starts is run in the unit's sandbox",
  "sudo journalctl": "journalctl",
  "kubectl apply": "kubectl apply",
  "kubectl -n": "kubectl rollout, logs and their like",
  ssh: "ssh",
};

/** Of the project itself, for those who doubt: no step of a host. */
const OF_THE_PROJECT = /^npm (?:test|run (?:bench|soak|sandbox))\b/;
/** What stands in a sentence and is to be typed begins with one of these and has another word behind it. */
const TYPED =
  /^(?:[A-Z_]+=\S* )*(?:bash|curl|docker|export|git|kubectl|node_modules\/\.bin\/node|npm|npx|openssl|ssh|sudo|umask)\s+\S/;
const NAMES_WHAT_IS_NOT_RUN = "### What of this was run";

/** Every command of docs/hosting.md: a line of a block of shell, or one in a sentence. */
export class Documented {
  readonly #left: Set<string>;
  readonly #all: ReadonlySet<string>;
  /** What this machine cannot run beyond that. */
  readonly #notRun: RegExp[] = [];
  readonly count: number;

  constructor(text = textOf("docs/hosting.md")) {
    this.#all = new Set(commandsIn(text));
    this.#left = new Set(this.#all);
    this.count = this.#all.size;
  }

  /** Checks that a command stands there, word for word, and notes that it is run. Answers it. */
  take(command: string): string {
    if (!this.#all.has(command)) throw new Error(`docs/hosting.md has no command: ${command}`);
    this.#left.delete(command);
    return command;
  }

  notRun(lines: RegExp): void {
    this.#notRun.push(lines);
  }

  /** What nobody ran, in two parts: named as not run here, and forgotten. */
  left(): { readonly named: readonly string[]; readonly forgotten: readonly string[] } {
    const isNamed = (line: string) =>
      Object.keys(NOT_RUN).some((begins) => line.startsWith(`${begins} `)) ||
      this.#notRun.some((lines) => lines.test(line));
    const all = [...this.#left];
    return { named: all.filter(isNamed), forgotten: all.filter((line) => !isNamed(line)) };
  }
}

function commandsIn(text: string): readonly string[] {
  const [blocks, sentences]: [string[], string[]] = [[], []];
  for (const [at, part] of text.split(/^```(?:sh|yaml)?$/m).entries())
    (at % 2 === 1 ? blocks : sentences).push(part);
  const isShell = new Set([...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block.trim()));
  const lines = blocks
    .filter((block) => isShell.has(block.trim()))
    .flatMap((block) => block.trim().split("\n"))
    // Of a chain each is a command.
    .map((line) => line.replace(/ &&$/, ""));
  const spans = sentences
    .join("\n")
    .replace(new RegExp(`^${NAMES_WHAT_IS_NOT_RUN}$.*?(?=^## )`, "ms"), "")
    .matchAll(/`([^`]+)`/g);
  const typed = [...spans].map(([, span = ""]) => span.replaceAll(/\s+/g, " "));
  return [...lines, ...typed.filter((span) => TYPED.test(span) && !OF_THE_PROJECT.test(span))];
}
