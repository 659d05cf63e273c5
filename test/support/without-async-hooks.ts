import hooks from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";

/**
 * Preloaded by the processes of the suite. node:test follows each promise by an async hook, so that it can name the test
 * of an error that nobody caught; a promise then costs twenty times as much, and simulations make millions. Without it
 * such an error still fails the run, but is told of a file instead of a test: `npm run test:file` names the test.
 */
const hook: hooks.AsyncHook = { enable: () => hook, disable: () => hook };
Object.assign(hooks, { createHook: () => hook });
syncBuiltinESMExports();
