/**
 * How far `count` got between two turns of the event loop, at most, while `work` ran. By counting and not by a clock, so that it
 * is the same on any machine.
 */
export async function mostInATurn(count: () => number, work: () => Promise<unknown>): Promise<number> {
  let most = 0;
  let before = count();
  let isOver = false;
  const turn = () => {
    most = Math.max(most, count() - before);
    before = count();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  turn();
  return most;
}
