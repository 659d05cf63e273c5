import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Host, Running } from "./host.ts";

/** A machine for root's commands and for a unit: this one's files to read, with /opt, /etc and /var/lib of its own. */
export class SandboxedMachine {
  readonly folder: string;
  readonly #host: Host;

  private constructor(folder: string, host: Host) {
    this.folder = folder;
    this.#host = host;
  }

  /** undefined: there is no bwrap, or it may not do what it must. */
  static make(host: Host): SandboxedMachine | undefined {
    const folder = join(host.folder, "machine");
    for (const path of ["", "opt", "var", "var/marshal"]) {
      mkdirSync(join(folder, path));
      host.own(join(folder, path));
    }
    try {
      host.run(
        `cp -r --no-preserve=ownership /etc ${join(folder, "etc")} 2>/dev/null; mkdir -p ${join(folder, "etc/systemd/system")}`,
      );
      const machine = new SandboxedMachine(folder, host);
      machine.asRoot("true");
      return machine;
    } catch {
      return undefined;
    }
  }

  /** What follows `sudo` in the documentation: root of this machine only, and nothing of the real one can be written. */
  asRoot(line: string): string {
    const own = [
      ...["--bind", join(this.folder, "opt"), "/opt", "--bind", join(this.folder, "etc"), "/etc"],
      ...["--tmpfs", "/var/lib", "--bind", join(this.folder, "var/marshal"), "/var/lib/marshal"],
      ...["--bind", this.#host.folder, this.#host.folder],
    ];
    return this.#host.run(this.#bwrap({ user: 0, own, line, env: this.#host.env }));
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  /** The environment and the command of a unit, as it was installed. */
  unit(name: string): {
    readonly env: Record<string, string>;
    readonly command: string;
    readonly hasNetwork: boolean;
  } {
    const text = this.read(`etc/systemd/system/${name}`);
    const file = /^EnvironmentFile=(.*)$/m.exec(text)?.[1];
    const lines = [...text.matchAll(/^Environment=(.*)$/gm)].map(([, line = ""]) => line);
    return {
      env: { ...variablesIn(lines.join("\n")), ...(file === undefined ? {} : this.variables(file)) },
      command: /^ExecStart=(.*)$/m.exec(text)?.[1] ?? "",
      hasNetwork: !/^PrivateNetwork=yes$/m.test(text),
    };
  }

  /** What stands in a file of variables, by its name there. */
  variables(file: string): Record<string, string> {
    return variablesIn(this.read(file.slice(1)));
  }

  /** Starts a command as the units do: a user that nobody is, a root that cannot be written, the state folder alone. */
  start(command: string, env: Readonly<Record<string, string>>, hasNetwork = true): Running {
    return this.#host.start(this.#confined(command, env, hasNetwork));
  }

  /** The same, to its end. */
  confined(command: string, env: Readonly<Record<string, string>>, hasNetwork = true): string {
    return this.#host.run(this.#confined(command, env, hasNetwork));
  }

  #confined(line: string, env: Readonly<Record<string, string>>, hasNetwork: boolean): string {
    const own = [
      ...["--ro-bind", join(this.folder, "opt"), "/opt", "--tmpfs", "/var/lib"],
      ...[
        "--bind",
        join(this.folder, "var/marshal"),
        "/var/lib/marshal",
        "--tmpfs",
        "/home",
        "--tmpfs",
        "/root",
      ],
      ...["--chdir", "/opt/marshal", "--cap-drop", "ALL", ...(hasNetwork ? [] : ["--unshare-net"])],
    ];
    return this.#bwrap({ user: 61_185, own, line, env: { PATH: "/usr/bin:/bin", ...env } });
  }

  #bwrap({
    user,
    own,
    line,
    env,
  }: {
    user: number;
    own: string[];
    line: string;
    env: Readonly<Record<string, string>>;
  }) {
    const set = Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]);
    const args = [
      ...["bwrap", "--die-with-parent", "--unshare-user", "--unshare-pid", "--unshare-ipc"],
      ...["--uid", `${user}`, "--gid", `${user}`, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
      ...["--tmpfs", "/tmp", ...own, "--clearenv", ...set, "bash", "-c", line],
    ];
    return args.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  }
}

function variablesIn(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
}

/** A program of this machine by one of its names. */
export function programOf(...names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

/** What a parser of compose files makes of them together; undefined where this machine has none, throws where it is refused. */
export function parsedCompose(files: readonly string[], envFile: string): string | undefined {
  const parser = programOf("docker-compose");
  const plugin = programOf("docker");
  const args = ["--env-file", envFile, ...files.flatMap((file) => ["-f", file]), "config"];
  try {
    if (plugin !== undefined)
      return execFileSync(plugin, ["compose", ...args], { encoding: "utf8", stdio: "pipe" });
  } catch {
    // There is no plugin.
  }
  return parser === undefined ? undefined : execFileSync(parser, args, { encoding: "utf8", stdio: "pipe" });
}
