/** Words that staff know from other bots as verbs, and where Marshal has the same. */
export const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ["warn", "/case add writes a warning."],
  ["warning", "/case add writes a warning."],
  ["note", "/case add writes a note."],
]);
