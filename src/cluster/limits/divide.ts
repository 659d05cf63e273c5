/**
 * Divides `limit` whole requests by demand: by largest remainder, at least one for each. Where there are more askers than
 * requests, the first ones get one each. Without any demand all are alike. Pure.
 */
export function divide(limit: number, demands: readonly number[]): number[] {
  const whole = Math.max(0, Math.floor(limit));
  if (whole < demands.length) return demands.map((_, index) => (index < whole ? 1 : 0));
  const weights = demands.some((demand) => demand > 0) ? demands.map((demand) => Math.max(0, demand)) : null;
  const given = demands.map(() => 0);
  let open = demands.map((demand, index) => ({ index, weight: weights === null ? 1 : Math.max(0, demand) }));
  let left = whole;
  for (;;) {
    const sum = open.reduce((total, { weight }) => total + weight, 0);
    const small = open.filter(({ weight }) => left * weight < sum);
    if (small.length === 0) break;
    // Who would get less than one gets one; the others divide what is left.
    for (const { index } of small) given[index] = 1;
    left -= small.length;
    open = open.filter((one) => !small.includes(one));
  }
  const sum = open.reduce((total, { weight }) => total + weight, 0);
  const parts = open.map(({ index, weight }) => ({ index, exact: (left * weight) / sum }));
  for (const { index, exact } of parts) given[index] = Math.floor(exact);
  let spare = left - parts.reduce((total, { exact }) => total + Math.floor(exact), 0);
  const byRemainder = parts.toSorted((a, b) => (b.exact % 1) - (a.exact % 1) || a.index - b.index);
  for (const { index } of byRemainder) {
    if (spare <= 0) break;
    given[index] = (given[index] ?? 0) + 1;
    spare -= 1;
  }
  return given;
}
