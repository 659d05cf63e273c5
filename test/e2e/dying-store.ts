import process from "node:process";
import { Worker } from "node:worker_threads";

/** Loaded before the bot: the thread of its store ends when SIGUSR2 comes. It is the one that is sent lists. */
const post = Worker.prototype.postMessage;
let ofStore: Worker | undefined;
Worker.prototype.postMessage = function (this: Worker, message: unknown) {
  if (Array.isArray(message)) ofStore = this;
  post.call(this, message);
};
process.on("SIGUSR2", () => void ofStore?.terminate());
