import { type Escaped, joined, md } from "../../domain/escaped.ts";

/** As much of a list as a card holds. Pure. */

export interface FitOptions {
  /** Characters. @default what a description holds */
  readonly max?: number;
  /** Lines. @default as many as fit */
  readonly most?: number;
  /** There are others than these lines, nobody knows how many. */
  readonly isMore?: boolean;
  /** How to see the others. */
  readonly advice?: Escaped;
}

/** As many lines as fit; says how many do not. */
export function fitLines(
  lines: readonly Escaped[],
  { max = 3_800, most = lines.length, isMore = false, advice }: FitOptions = {},
): Escaped {
  const kept: Escaped[] = [];
  let size = 0;
  for (const line of lines.slice(0, most)) {
    if (size + line.length + 1 > max) break;
    kept.push(line);
    size += line.length + 1;
  }
  const left = lines.length - kept.length;
  const others = isMore ? md`and more` : md`and ${left} more`;
  const how = advice === undefined ? md`` : md`; ${advice}`;
  return joined([...kept, ...(left === 0 && !isMore ? [] : [md`-# ${others}${how}`])], "\n");
}
