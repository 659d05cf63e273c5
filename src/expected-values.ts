export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** What a variable should hold, for the line about a bad one. */
export const EXPECTED = {
  DISCORD_TOKEN:
    "the bot's token: copy .env.example to .env and fill it in. Without an account, try `npm run sandbox`",
  DISCORD_API_URL: "an http(s) address such as https://discord.com/api",
  SERVICE_URL: "an http(s) address such as https://api.erlc.gg",
  SERVICE_GLOBAL_KEY:
    "the global API key that the service issued, without spaces; leave it out if there is none",
  STORE_URL: "sqlite:PATH or redis://HOST:PORT or rediss://HOST:PORT",
  SECRET_KEY: "32 bytes in base64, as `openssl rand -base64 32` prints them",
  HISTORY_URL: "sqlite:PATH or postgres://USER@HOST/DATABASE, or empty to turn it off",
  SECRET_KEY_OLD: "the previous SECRET_KEY, 32 bytes in base64; only together with SECRET_KEY",
  OPS_ADDRESS: "HOST:PORT such as 127.0.0.1:9464, or empty to turn it off",
  SHARDS: "auto, or with Redis a block such as 0-3/16 or any:4/16",
  SERVICE_APP_ID: "the id of your public application, without spaces; leave it out if there is none",
  PUBLIC_ADDRESS: "this host's public addresses, such as 203.0.113.7 or 203.0.113.7,2001:db8::7",
  SERVICE_FAMILY: "4 or 6, or empty for both",
  BAD_KEY_BUDGET: "a whole number from 4 to 1000, such as 9",
  SERVERS_PER_GUILD: "a whole number of 1 or more, such as 10",
  MAP_IMAGE:
    "FILE,x1,z1,x2,z2: a PNG or JPEG of the map and the map units of its top left and bottom right corners; or empty",
  DOCS_URL: "an http(s) address that /help links to, or empty",
  LOG_LEVEL: `one of ${LOG_LEVELS.join(", ")}`,
} as const;

/** Variables that nobody knows but whose name is one slip away from a known one, in a line each. */
export function mistypedNames(names: readonly string[]): readonly string[] {
  const known = Object.keys(EXPECTED);
  return names.flatMap((name) => {
    const meant = known.includes(name) ? undefined : known.find((one) => isOneSlipAway(one, name));
    return meant === undefined ? [] : [`${name} is no variable of Marshal's: is it ${meant}?`];
  });
}

/** One letter more, less or another, or two that changed places; signs between words count for nothing. */
function isOneSlipAway(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => name.replaceAll(/[^a-z]/gi, "").toUpperCase()) as [
    string,
    string,
  ];
  let from = 0;
  while (from < a.length && a[from] === b[from]) from += 1;
  const [restA, restB] = [a.slice(from), b.slice(from)];
  const isSwapped = restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
  return (
    restA.slice(1) === restB.slice(1) || restA.slice(1) === restB || restA === restB.slice(1) || isSwapped
  );
}
