/** The ids under which answers of commands are remembered that take long and that no run stands for yet. */

const PREFIX = "slow-";
const RUN_PREFIX = `${PREFIX}run-`;

/** `mayRun`: the command sends commands to the game, so that asking again may repeat one. */
export function slowAnswerId(reference: string, { mayRun }: { readonly mayRun: boolean }): string {
  return `${mayRun ? RUN_PREFIX : PREFIX}${reference}`;
}

export function isSlowAnswer(id: string): boolean {
  return id.startsWith(PREFIX);
}

export function isSlowRun(id: string): boolean {
  return id.startsWith(RUN_PREFIX);
}
