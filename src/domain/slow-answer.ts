/** The ids under which answers are remembered that no run belongs to: of commands that take long. */

const PREFIX = "slow-";

export function slowAnswerId(reference: string): string {
  return `${PREFIX}${reference}`;
}

export function isSlowAnswer(id: string): boolean {
  return id.startsWith(PREFIX);
}
