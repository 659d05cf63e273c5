import type { Command } from "../src/discord/command.ts";
import { feed } from "./feed.ts";
import { help } from "./help.ts";
import { server } from "./server.ts";
import { setup } from "./setup.ts";

/** The only list of commands: dispatch, registration and /help all read it. */
export const commands: readonly Command[] = [server, setup, feed, help];
