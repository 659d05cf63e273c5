import { plantedIn } from "./planted.ts";

/** How the service is asked, and when: it never gets its host banned. */
export const serviceMutants = [
  ...plantedIn("src/api/limits/halt.ts", [
    {
      what: "a second halt in a row waits no longer than the first",
      from: "patience.firstMs * 2 ** Math.min(20, this.#strikes - 1)",
      to: "patience.firstMs",
      tests: ["api/limits/halts"],
    },
    {
      what: "a late 429 with a shorter wait shortens the halt",
      from: "this.#untilMs = wasOpen ? untilMs : Math.max(this.#untilMs, untilMs);",
      to: "this.#untilMs = untilMs;",
      tests: ["api/limits/halts"],
    },
    {
      what: "a restart forgets what is left of a halt",
      from: "this.#untilMs = nowMs + Math.max(0, Math.min(leftMs, LONGEST_TOLD_WAIT_MS));",
      to: "this.#untilMs = nowMs;",
      tests: ["api/limits/halts"],
    },
  ]),
  ...plantedIn("src/api/gate.ts", [
    {
      what: "a command whose answer was lost counts as not run, and is sent again",
      from: 'refusals.lost(error, route === "command" ? "unknown" : "no")',
      to: 'refusals.lost(error, "no")',
      tests: ["api/limits/commands", "runs/queue/with-gate"],
    },
  ]),
  ...plantedIn("src/api/http/classify.ts", [
    {
      what: "the Retry-After of a 429 is not read",
      from: "greatest([retryAfterMs(headers, nowMs), body.retryAfterMs, inWordsMs])",
      to: "greatest([body.retryAfterMs, inWordsMs])",
      tests: ["api/http/classify"],
    },
    {
      what: "an error of the game's servers says that a command did not run",
      from: '1001: ["platform", "unknown"]',
      to: '1001: ["platform", "no"]',
      tests: ["api/http/classify"],
    },
    {
      what: "a key that the service says it does not know is asked on",
      from: "(code === 2001 || code === 2002 || code === 2004)",
      to: "(code === 2001 || code === 2004)",
      tests: ["api/http/classify"],
    },
    {
      what: "the block page is read as an ordinary failure",
      from: "if (refused || isPage) {",
      to: "if (false) {",
      tests: ["api/http/classify"],
    },
    {
      what: "a host that the owner did not allow loses its key",
      from: 'if (code !== undefined) return { kind: "failure", failure: fail("not-authorised", "no", body.message) };',
      to: "",
      tests: ["api/http/classify"],
    },
  ]),
  ...plantedIn("src/api/limits/in-flight.ts", [
    {
      what: "requests leave between the head and the body of a 429",
      from: "return this.#requests.some(({ refusal }) => refusal?.status === 429);",
      to: "return false;",
      tests: ["api/http/cut-refusals", "api/limits/halts"],
    },
  ]),
  ...plantedIn("src/api/admission.ts", [
    {
      what: "a command that waited 15 minutes is sent",
      from: 'job.waitingClass === "person" && nowMs - job.askedMs > PERSON_WAITS_MS',
      to: "false",
      tests: ["api/limits/odd-service"],
    },
    {
      what: "one guild may fill the queue of all",
      from: 'if (waitingClass === "person" && isGuildFull) return refusals.tooMany();',
      to: "",
      tests: ["api/limits/turn-order", "api/limits/commands"],
    },
  ]),
  ...plantedIn("src/api/keys/budget.ts", [
    {
      what: "refused keys are forgotten after half an hour",
      from: "nowMs - this.#refusals[0].atMs >= HOUR_MS",
      to: "nowMs - this.#refusals[0].atMs >= HOUR_MS / 2",
      tests: ["api/keys/budget", "api/keys/keys"],
    },
    {
      what: "a request without an answer costs nothing",
      from: 'if (evidence === "silent") this.unanswered.add(unit, nowMs, Math.max(0, room));',
      to: "",
      tests: ["api/keys/budget", "api/keys/keys"],
    },
    {
      what: "the unit that is kept for good keys is spent on new ones",
      from: "const RESERVE = 1;",
      to: "const RESERVE = 0;",
      tests: ["api/keys/budget", "api/keys/keys"],
    },
  ]),
  ...plantedIn("src/api/keys/unanswered.ts", [
    {
      what: "a restart forgets which keys were silent alone",
      from: "key.isLone ? { isLone: true } :",
      to: "",
      tests: ["api/keys/lost-answers"],
    },
    {
      what: "what was asked of a dead key in an outage costs nothing",
      from: "isLone && !known.isLone ? counted(known.silences, room) : (known?.silences ?? [])",
      to: "known?.silences ?? []",
      tests: ["api/keys/lost-answers"],
    },
    {
      what: "three dead keys in a row are an outage",
      from: "export const SURE_KEYS = 5;",
      to: "export const SURE_KEYS = 3;",
      tests: ["api/keys/lost-answers"],
    },
  ]),
  ...plantedIn("src/api/limits/spending.ts", [
    {
      what: "a late answer raises what remains of a window",
      from: "if (!isNew && remaining > this.#stated) return;",
      to: "",
      tests: ["api/limits/odd-headers", "api/limits/turn-order", "api/limits/phases"],
    },
  ]),
  ...plantedIn("src/api/limits/command-pace.ts", [
    {
      what: "the next command does not wait for the window after the answer",
      from: "const nextMs = Math.min(lane.endedMs + lengthMs,",
      to: "const nextMs = Math.min(lane.endedMs,",
      tests: ["api/limits/commands"],
    },
    {
      what: "a drained command bucket does not wait longer each time",
      from: "lane.presumedMs * 2 ** Math.min(20, lane.drained)",
      to: "lane.presumedMs",
      tests: ["api/limits/commands", "runs/queue/with-gate"],
    },
  ]),
  ...plantedIn("src/api/keys/command-permissions.ts", [
    {
      what: "Check again may be pressed without end",
      from: "sixth === undefined ? nowMs : sixth + HOUR_MS",
      to: "nowMs",
      tests: ["api/keys/command-permission"],
    },
    {
      what: "a command is sent although the owner has not allowed this host",
      from: 'if (known?.state !== "refused" || nowMs >= known.sendAgainMs) return undefined;',
      to: 'if (known?.state !== "refused" || nowMs >= known.sinceMs) return undefined;',
      tests: ["api/keys/command-permission"],
    },
  ]),
  ...plantedIn("src/api/rows/read-rows.ts", [
    {
      what: "a list ends at its first odd row",
      from: "if (entry !== undefined) value.push(entry);",
      to: "if (entry === undefined) break;\n    value.push(entry);",
      tests: ["api/rows/read-rows", "api/schema"],
    },
  ]),
  ...plantedIn("src/watch/schedule/schedule.ts", [
    {
      what: "a server whose key is parked is asked",
      from: "if (this.#isParked(entry.candidate.source))",
      to: "if (false)",
      tests: ["watch/schedule/schedule", "watch/watch"],
    },
    {
      what: "a guild with many servers takes the polls of the others",
      from: "entry.perS = rate / Math.max(1, entry.peers.size) ** 2;",
      to: "entry.perS = rate;",
      tests: ["watch/schedule/schedule", "watch/schedule/queues"],
    },
  ]),
  ...plantedIn("src/cluster/lease-times.ts", [
    {
      what: "a process that slept works on under a lease that may be another's",
      from: "return this.#leftMs(now) > MARGIN_MS && !this.hasSlept(now);",
      to: "return this.#leftMs(now) > MARGIN_MS;",
      tests: ["cluster/lease-times"],
    },
    {
      what: "a process works up to the last moment of its lease",
      from: "return this.#leftMs(now) > MARGIN_MS &&",
      to: "return this.#leftMs(now) > 0 &&",
      tests: ["cluster/lease-times"],
    },
  ]),
  ...plantedIn("src/cluster/held-lease.ts", [
    {
      what: "a process whose lease was taken works on",
      from: 'if (renewal !== "renewed") return this.#end(renewal);',
      to: "",
      tests: ["cluster/interleavings", "cluster/redis-leases"],
    },
  ]),
  ...plantedIn("src/cluster/limits/divide.ts", [
    {
      what: "blocks together get more than the limit",
      from: "left -= small.length;",
      to: "",
      tests: ["cluster/limits/divide"],
    },
  ]),
];
