import type { Command } from "../src/discord/command.ts";
import { alert } from "./alert.ts";
import { audit } from "./audit.ts";
import { cases } from "./case.ts";
import { diagnose } from "./diagnose.ts";
import { duty } from "./duty.ts";
import { feed } from "./feed.ts";
import { help } from "./help.ts";
import { history } from "./history.ts";
import { me } from "./me.ts";
import { player } from "./player.ts";
import { rank } from "./rank.ts";
import { rule } from "./rule.ts";
import { run } from "./run.ts";
import { schedule } from "./schedule.ts";
import { server } from "./server.ts";
import { session } from "./session.ts";
import { setup } from "./setup.ts";
import { staff } from "./staff.ts";
import { stats } from "./stats.ts";

/** The only list of commands: dispatch, registration and /help all read it. */
export const commands: readonly Command[] = [
  server,
  run,
  schedule,
  player,
  cases,
  stats,
  duty,
  session,
  rule,
  rank,
  me,
  setup,
  feed,
  alert,
  staff,
  audit,
  history,
  diagnose,
  help,
];
