import process from "node:process";

/**
 * For how long at most this thread was at work between two turns of the event loop, by its own processor time: what else the
 * machine does counts for nothing.
 */
export async function longestHoldMs(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let fromMs = cpuMs();
  let isOver = false;
  const turn = () => {
    const nowMs = cpuMs();
    longestMs = Math.max(longestMs, nowMs - fromMs);
    if (isOver) return;
    fromMs = cpuMs();
    setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  turn();
  return longestMs;
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
