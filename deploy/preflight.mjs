// Runs before the bot (`node --import`), on whatever Node there is: plain JavaScript that a Node of years ago reads,
// because an old one would stop at the first .ts file with words that help nobody.
import { existsSync, readFileSync, statSync } from "node:fs";
import process from "node:process";

const HELP = [
  [
    /main\.ts$/,
    "npm start: the bot. It takes no options: its variables are in .env (.env.example has them all) or in the environment.",
  ],
  [
    /register\.ts$/,
    "npm run deploy: registers the slash commands. npm start does it too when they have changed. It takes no options.",
  ],
];
const help = HELP.find(([script]) => script.test(process.argv[1] ?? ""))?.[1];
if (help !== undefined && process.argv.slice(2).some((word) => word === "--help" || word === "-h")) {
  process.stdout.write(`${help}\nHosting: docs/hosting.md. To try it without an account: npm run sandbox\n`);
  process.exit(0);
}

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const needed = Number(/\d+/.exec(engines.node)?.[0]);

if (Number.parseInt(process.versions.node, 10) < needed) {
  process.stderr.write(
    `Marshal needs Node ${needed} or newer and this is ${process.versions.node}: run \`npm ci\` without --omit=dev (it brings its own), or install Node ${needed}.\n`,
  );
  process.exit(1);
}

// What is set already wins over the file.
if (existsSync(".env")) {
  const why = whyUnreadable();
  if (why !== undefined) {
    process.stderr.write(`.env ${why}\n`);
    process.exit(1);
  }
  if (process.platform !== "win32" && (statSync(".env").mode & 0o077) !== 0)
    process.stderr.write(
      ".env can be read by others on this machine, and your token is in it: chmod 600 .env\n",
    );
  process.loadEnvFile(".env");
}

function whyUnreadable() {
  try {
    const text = readFileSync(".env", "utf8");
    // The mark would be part of the first name, and nobody sees it.
    const isOfWindows = text.startsWith("\ufeff") || text.includes("\0");
    return isOfWindows ? "is saved in a form of Windows: save it as UTF-8 without BOM" : undefined;
  } catch (error) {
    // Docker makes a folder of a file that is to be mounted and is not there.
    if (error.code === "EISDIR")
      return "is a folder, and has to be a file: remove it, then cp .env.example .env && chmod 600 .env";
    return `cannot be read by this user (${error.code}). Run this as the user to whom it belongs`;
  }
}
