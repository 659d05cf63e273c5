import * as os from "node:os";
import process from "node:process";

interface Priorities {
  /** What the thread is to have, as niceness. @default 10, for what nobody waits for */
  readonly priority?: number;
  /** What of the machine decides over priorities. @default node:os */
  readonly getPriority?: (pid: number) => number;
  readonly setPriority?: (pid: number, priority: number) => void;
}

/**
 * On Linux the priority of "0" is this thread's alone: on a machine whose cores are all busy, first answers and posts
 * go before what is only recorded or drawn. Elsewhere it would be the whole process's, so it stays as it is. Where a sandbox
 * forbids it (systemd's filter of system calls) the thread works at the priority that it has.
 */
export function yieldToMainThread({
  priority = os.constants.priority.PRIORITY_BELOW_NORMAL,
  getPriority = os.getPriority,
  setPriority = os.setPriority,
}: Priorities = {}): void {
  if (process.platform !== "linux") return;
  try {
    // A process that was started at a lower priority keeps it: raising it is not allowed.
    if (getPriority(0) < priority) setPriority(0, priority);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_SYSTEM_ERROR")) throw error;
  }
}
