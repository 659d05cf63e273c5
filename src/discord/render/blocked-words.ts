import { md } from "../../domain/escaped.ts";

/** Why no command of a server can run now: its key is wrong, or the owner does not allow commands. */
export type BlockedBy = "key" | "owner";

/** The same for those who only want to know, and may not be who can fix it. */
export const BLOCKED_WORDS = {
  key: md`⚠ The server key is wrong or expired, so nothing runs yet. Someone with Manage Server can replace it with \`/setup link\`.`,
  owner: md`⚠ The owner does not let Marshal run commands, so nothing runs yet. Someone with Manage Server can fix it: \`/setup start\`, **Let Marshal run commands**.`,
} as const;
