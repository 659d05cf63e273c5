/** The ids under which answers of commands are remembered that show nothing yet and that no run stands for. */

const PREFIX = "slow-";
const RUN_PREFIX = `${PREFIX}run-`;

/** `mayRun`: the command sends commands to the game, so that asking again may repeat one. */
export function openAnswerId(reference: string, { mayRun }: { readonly mayRun: boolean }): string {
  return `${mayRun ? RUN_PREFIX : PREFIX}${reference}`;
}

export function isOpenAnswer(id: string): boolean {
  return id.startsWith(PREFIX);
}

export function isOpenRun(id: string): boolean {
  return id.startsWith(RUN_PREFIX);
}
