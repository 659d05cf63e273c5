import * as os from "node:os";
import process from "node:process";

/** What of the machine decides over priorities. */
interface Priorities {
  getPriority(pid: number): number;
  setPriority(pid: number, priority: number): void;
}

/**
 * On Linux the priority of "0" is this thread's alone: on a machine whose cores are all busy, first answers and posts
 * go before what is only recorded or drawn. Elsewhere it would be the whole process's, so it stays as it is. Where a sandbox
 * forbids it (systemd's filter of system calls) the thread works at the priority that it has.
 */
export function yieldToMainThread({ getPriority, setPriority }: Priorities = os): void {
  if (process.platform !== "linux") return;
  const wanted = os.constants.priority.PRIORITY_BELOW_NORMAL;
  try {
    // A process that was started at a lower priority keeps it: raising it is not allowed.
    if (getPriority(0) < wanted) setPriority(0, wanted);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_SYSTEM_ERROR")) throw error;
  }
}
