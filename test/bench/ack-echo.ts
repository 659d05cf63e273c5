/** Answers each message of the parent at once: how late that is tells how busy the machine is besides the bench. */
process.on("message", (message) => process.send?.(message));
process.on("disconnect", () => process.exit());
process.send?.("ready");
