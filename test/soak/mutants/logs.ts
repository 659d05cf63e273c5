import { plantedIn } from "./planted.ts";

/** From the log of a server into a channel: no entry is lost or repeated. */
export const logMutants = [
  ...plantedIn("src/journal/compare/diff.ts", [
    {
      what: "of two equal rows the second is lost",
      from: "left.set(fact.hash, known - 1);",
      to: "",
      tests: ["journal/compare/diff"],
    },
    {
      what: "equal rows have the same number",
      from: "if (window[index]?.hash === window[at]?.hash) equal += 1;",
      to: "if (window[index]?.hash === window[at]?.hash) equal = 0;",
      tests: ["journal/followers"],
    },
    {
      what: "what stood in the log before the link is posted",
      from: "} else if (fact.atS > floorS)",
      to: "} else if (fact.atS >= floorS)",
      tests: ["journal/compare/diff"],
    },
  ]),
  ...plantedIn("src/journal/compare/gap.ts", [
    {
      what: "a gap is told where a calm server begins again",
      from: "if (isIntact(state.calm, look) && isRestart) return undefined;",
      to: "",
      tests: ["journal/compare/diff"],
    },
    {
      what: "a gap is told where nobody had been in a server that started again",
      from: "if (calm === Calm.idle && recent) return true;",
      to: "",
      tests: ["journal/compare/diff"],
    },
    {
      what: "a gap is told too short",
      from: "const toS = Math.min(beforeS + LATE_S, presentS);",
      to: "const toS = beforeS;",
      tests: ["journal/compare/diff", "journal/journal"],
    },
    {
      what: "a full window without anything known is no gap",
      from: "return rows >= Math.max(longest, fullest > 0 ? fullest : SHORTEST_FULL);",
      to: "return false;",
      tests: ["journal/compare/diff"],
    },
  ]),
  ...plantedIn("src/journal/followers.ts", [
    {
      what: "a follower's mark goes back",
      from: "open.marks[name] = Math.max(mark, open.marks[name] ?? 0);",
      to: "open.marks[name] = mark;",
      tests: ["journal/followers", "journal/troubled-followers"],
    },
    {
      what: "a follower reads its last entry again",
      from: "(items.at(-1)?.seq ?? mark) + 1",
      to: "items.at(-1)?.seq ?? mark",
      tests: ["journal/followers"],
    },
    {
      what: "a follower that stands keeps entries without end",
      from: "Math.max(mark, kept === undefined ? oldestSeq : nextSeq - kept)",
      to: "mark",
      tests: ["journal/troubled-followers"],
    },
  ]),
  ...plantedIn("src/journal/next-state.ts", [
    {
      what: "who is missing in one answer has left",
      from: "const ABSENCES = 2;",
      to: "const ABSENCES = 1;",
      tests: ["journal/states"],
    },
    {
      what: "what cannot be written grows without end",
      from: "bounded([...unwritten.items, ...items])",
      to: "[...unwritten.items, ...items]",
      tests: ["journal/states"],
    },
  ]),
  ...plantedIn("src/feeds/delivery/delivery.ts", [
    {
      what: "a batch is sent before it is written down",
      from: "await this.#write({ ...record, frozen: { ...draft, nonce } });",
      to: "void this.#write({ ...record, frozen: { ...draft, nonce } });\n    this.#record = { ...record, frozen: { ...draft, nonce } };",
      tests: ["feeds/delivery/delivery", "feeds/delivery/power-cut", "feeds/recovery"],
    },
    {
      what: "all batches of a feed have one nonce",
      from: "nonceOf(this.#ports.nonceKey, this.feed.id, this.#ports.random.id(), draft.atMs)",
      to: "nonceOf(this.#ports.nonceKey, this.feed.id)",
      tests: ["feeds/delivery/delivery"],
    },
    {
      what: "a file, or the notice of a gap, is sent before the record of it is on the disk",
      from: 'if (batch.form === "digest" || batch.isGap === true) await this.#ports.onDisk();',
      to: "",
      tests: ["feeds/delivery/power-cut"],
    },
  ]),
  ...plantedIn("src/feeds/delivery/reconcile.ts", [
    {
      what: "an entry behind what was read back is lost",
      from: "return { ...rest, nextSeq: frozen.throughSeq, ...last, ...left() };",
      to: "return { ...rest, nextSeq: frozen.throughSeq + 1, ...last, ...left() };",
      tests: ["feeds/delivery/reconcile"],
    },
    {
      what: "what stands already counts a second time",
      from: "const { standing: known, ...rest } = record;\n  const standing = new KeyMultiset(known);\n  standing.takeAll(met);",
      to: "const { standing: known, ...rest } = record;\n  const standing = new KeyMultiset(known);\n  void met;",
      tests: ["feeds/delivery/reconcile"],
    },
  ]),
  ...plantedIn("src/feeds/delivery/filter.ts", [
    {
      what: "a feed of some players shows all",
      from: "wanted.includes(player.name.toLowerCase()) ||",
      to: "true ||",
      tests: ["feeds/delivery/filter"],
    },
  ]),
  ...plantedIn("src/feeds/cards/call-claims.ts", [
    {
      what: "anybody releases the call of somebody else",
      from: "if (!mine && !actor.manageGuild) {",
      to: "if (false) {",
      tests: ["feeds/cards/cards"],
    },
  ]),
  ...plantedIn("src/feeds/cards/card-messages.ts", [
    {
      what: "a card that comes six hours late pings",
      from: "pingRoleId === undefined || isLate ? undefined : [pingRoleId]",
      to: "pingRoleId === undefined ? undefined : [pingRoleId]",
      tests: ["feeds/cards/cards"],
    },
  ]),
  ...plantedIn("src/feeds/cards/call-pings.ts", [
    {
      what: "each of a hundred calls pings",
      from: "pingRoleId !== undefined && cooled && fresh",
      to: "pingRoleId !== undefined && fresh",
      tests: ["feeds/cards/cards"],
    },
  ]),
  ...plantedIn("src/outbox/posts/post-runner.ts", [
    {
      what: "a message is sent again without a look whether it stands",
      from: 'return this.doubt.mustRead(this.#isInherited) ? "read" : "send";',
      to: 'return "send";',
      tests: ["outbox/posts/post-lines"],
    },
    {
      what: "what is told again does not say that it may be a repeat",
      from: "const isRepeat = this.doubt.mustMark || isMarked;",
      to: "const isRepeat = isMarked;",
      tests: ["outbox/posts/post-lines", "outbox/notices"],
    },
  ]),
  ...plantedIn("src/outbox/posts/doubt.ts", [
    {
      what: "a clock that was set back takes the doubt away",
      from: "return inheritedMs < 0 || inheritedMs >= NONCE_TRUSTED_MS;",
      to: "return inheritedMs >= NONCE_TRUSTED_MS;",
      tests: ["outbox/posts/doubt"],
    },
  ]),
  ...plantedIn("src/outbox/turns/request-rate.ts", [
    {
      what: "Discord's wait after a 429 is not kept",
      from: "this.#nextAtMs = Math.max(this.#nextAtMs, nowMs + retryAfterMs);",
      to: "",
      tests: ["outbox/turns/turn-desk", "outbox/global-limit"],
    },
  ]),
  ...plantedIn("src/outbox/turns/channel-room.ts", [
    {
      what: "a channel gets six messages in five seconds",
      from: "const PER_WINDOW = 5;",
      to: "const PER_WINDOW = 6;",
      tests: ["outbox/turns/turn-desk", "outbox/global-limit"],
    },
  ]),
  ...plantedIn("src/outbox/turns/sum-of-ages.ts", [
    {
      what: "a guild with fifty feeds takes the turns of the quiet ones",
      from: "if (total <= COUNTED_OF_GUILD) return heads.map(summed);",
      to: "if (total >= 0) return heads.map(summed);",
      tests: ["outbox/turns/sum-of-ages"],
    },
  ]),
  ...plantedIn("src/outbox/notices.ts", [
    {
      what: "notices of a guild that cannot be told grow without end",
      from: "if ((this.#owedBy.get(guildId) ?? 0) >= MOST_OWED) {",
      to: "if (false) {",
      tests: ["outbox/notices"],
    },
    {
      what: "a notice that was posted is posted again after a restart",
      from: "await this.#ports.owed.delete(id).catch(",
      to: "await Promise.resolve().catch(",
      tests: ["outbox/notices"],
    },
    {
      what: "a notice is sent before it is written down",
      from: "await owed.set(id, asStored(notice));",
      to: "void owed.set(id, asStored(notice));",
      tests: ["outbox/notices"],
    },
  ]),
];
