import type { Starting } from "./starting.ts";

interface Part {
  start(): void | Promise<void>;
}

/** The parts that are started, each by its own method. */
export interface Startable {
  readonly starting: Pick<Starting, "step" | "wait">;
  /** The form, the secret and the identity of the store. */
  begin(): Promise<void>;
  readonly bindings: { load(): Promise<void> };
  readonly service: { restore(): Promise<void> };
  /** What posts of itself, or sends commands of itself, one after the other. */
  readonly posting: readonly Part[];
  /** What was in doubt in the store has been looked through. */
  settle(): Promise<void>;
  /** What knows the past, one after the other. */
  readonly recording: readonly Part[];
  readonly lifecycle: { finishLinks(): Promise<void> };
  readonly discord: { readonly away: Promise<void> };
  logIn(): Promise<void>;
  readonly watch: Part;
  readonly notifier: { recover(): Promise<void> };
  /** What goes by the clock, once people can see what it does. */
  beginByClock(): void;
  readonly readiness: Part;
}

/**
 * Starts all of them: first what is stored, then the login and the game's logs, last what goes by the clock. Rejects with what
 * refuses to start, and where a stop is asked for meanwhile.
 */
export async function startInOrder(parts: Startable): Promise<void> {
  const { starting, discord, watch } = parts;
  await starting.step(() => parts.begin());
  await starting.step(() => parts.bindings.load());
  await starting.step(() => parts.service.restore());
  for (const part of parts.posting) await starting.step(() => part.start());
  await starting.step(() => parts.settle());
  for (const part of parts.recording) await starting.step(() => part.start());
  await starting.step(() => parts.lifecycle.finishLinks());
  // The game's logs reach back for a while only: they are read also while Discord is away.
  const loggedIn = starting.wait(parts.logIn());
  await Promise.race([loggedIn, discord.away]);
  await starting.step(() => watch.start());
  await loggedIn;
  await starting.step(() => parts.notifier.recover());
  parts.beginByClock();
  await parts.readiness.start();
}
