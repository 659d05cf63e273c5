import { textOf } from "../../deploy/deploy-files.ts";

/** What cannot be run on a machine without an engine, a cluster or a systemd of its own, by the program that it begins with. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  "sudo apt": "apt: packages of the system",
  "docker compose":
    "docker compose: the files are read by its parser, and what runs in the containers is run in a sandbox",
  "docker build": "docker build: npm run soak -- image follows the Dockerfile",
  "docker push": "docker push",
  "sudo systemctl": "systemctl: the commands of the units are run in their sandbox",
  "sudo bash": "systemd-run: what it starts is run in the unit's sandbox",
  "sudo journalctl": "journalctl",
  "kubectl apply": "kubectl apply",
  "kubectl -n": "kubectl rollout, logs and their like",
};

/** Every command of docs/hosting.md: a line of a block of shell. */
export class Documented {
  readonly #left: Set<string>;
  /** What this machine cannot run beyond that. */
  readonly #notRun: RegExp[] = [];
  readonly count: number;

  constructor() {
    const blocks = [...textOf("docs/hosting.md").matchAll(/^```sh\n(.*?)^```$/gms)];
    const lines = blocks.flatMap(([, block = ""]) => block.trim().split("\n"));
    this.#left = new Set(lines);
    this.count = this.#left.size;
  }

  /** Checks that a command stands there, word for word, and notes that it is run. Answers it. */
  take(command: string): string {
    if (!textOf("docs/hosting.md").includes(`\n${command}\n`))
      throw new Error(`docs/hosting.md has no line: ${command}`);
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
