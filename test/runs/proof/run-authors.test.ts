import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../../src/domain/failure.ts";
import { type Binding, DEFAULT_SETTINGS } from "../../../src/domain/guild.ts";
import type { AuditFilter, AuditFound, RunRecord } from "../../../src/domain/run.ts";
import { createRunAuthors, type RunAuthorsPorts } from "../../../src/runs/proof/run-authors.ts";
import { VirtualClock } from "../../support/clock.ts";
import { runRecord } from "../../support/run-record.ts";
import { binding } from "../../support/runs-rig.ts";

const NOON_S = 1_767_268_800;
const [guildId, bindingId] = [binding.guildId, binding.id];
const DAY_S = 24 * 3_600;

class Town {
  readonly clock = new VirtualClock(NOON_S * 1_000);
  readonly runs: RunRecord[] = [];
  readonly searches: AuditFilter[] = [];
  linked: Binding[] = [binding];
  ends: Pick<AuditFound<RunRecord>, "next" | "stoppedAt"> = {};
  failure: Failure | undefined;
  /** How far the service's clock is ahead of this machine's. */
  serviceAheadMs = 0;
  readonly ports: RunAuthorsPorts = {
    audit: {
      search: async (guild, filter) => {
        this.searches.push(filter);
        if (this.failure !== undefined) throw this.failure;
        const { fromMs = 0, toMs = 0 } = filter;
        const rows = this.runs.filter(
          (run) => run.guildId === guild && run.askedAtMs >= fromMs && run.askedAtMs <= toMs,
        );
        return { rows, ...this.ends };
      },
    },
    bindings: {
      list: async (guild) => this.linked.filter((one) => one.guildId === guild),
      bySource: async (source) => this.linked.filter((one) => one.source === source),
    },
    settings: { of: async () => DEFAULT_SETTINGS },
    serviceTime: { ms: () => this.clock.nowMs() + this.serviceAheadMs },
    clock: this.clock,
    wholeSinceMs: undefined,
  };
  authors = createRunAuthors(this.ports);

  /** Its store was put back from a copy then: runs of before may be missing. */
  isWholeSince(atS: number): void {
    this.authors = createRunAuthors({ ...this.ports, wholeSinceMs: atS * 1_000 });
  }

  run(id: string, text: string, atS: number, over: Partial<RunRecord> = {}): void {
    const atMs = atS * 1_000;
    const times = { askedAtMs: atMs - 5_000, sentAtMs: atMs, endedAtMs: atMs + 500 };
    this.runs.push(runRecord({ id, guildId, bindingId, actorId: `by-${id}`, text, ...times, ...over }));
  }

  async of(...rows: readonly (readonly [text: string, atS: number])[]): Promise<readonly string[]> {
    const found = await this.authors.of(
      guildId,
      rows.map(([text, atS]) => ({ bindingId, text, atS })),
    );
    return found.map((one) => (one.kind === "member" ? one.userId : one.kind));
  }
}

describe("who asked for a command of Remote Server", () => {
  test("is the member whose run of that text was sent at that time; what no run accounts for came from outside", async () => {
    const town = new Town();
    town.run("a", ":kick Bob", NOON_S - 100);
    town.run("b", ":kick Bob", NOON_S - 60, { actorId: "mo", origin: "schedule" });
    const rows = [
      [":kick Bob", NOON_S - 59],
      [":kick Bob", NOON_S - 99],
      [":kick Bo", NOON_S - 99],
      [":kick Bob", NOON_S - 400],
    ] as const;
    assert.deepEqual(await town.of(...rows), ["mo", "by-a", "outside", "outside"]);
    const [scheduled] = await town.authors.of(guildId, [{ bindingId, text: ":kick Bob", atS: NOON_S - 59 }]);
    assert.deepEqual(scheduled, { kind: "member", userId: "mo", origin: "schedule" });
  });

  for (const aheadS of [90, -3_600])
    test(`is found by the service's time, ${aheadS} s from this machine's; what is not found is then nobody's`, async () => {
      const town = new Town();
      town.serviceAheadMs = aheadS * 1_000;
      town.run("a", ":kick Bob", NOON_S - 100);
      const rows = [NOON_S - 99, NOON_S - 400].map((atS) => [":kick Bob", atS + aheadS] as const);
      assert.deepEqual(await town.of(...rows), ["by-a", "unknown"]);
    });

  test("may be a member whose run is missing, since the store was put back from a copy then: no other program is named", async () => {
    const town = new Town();
    town.run("a", ":kick Bob", NOON_S - 4_000);
    const rows = [NOON_S - 4_000, NOON_S - 3_900, NOON_S - 60].map((atS) => [":kick Bob", atS] as const);
    assert.deepEqual(await town.of(...rows), ["by-a", "outside", "outside"]);
    town.isWholeSince(NOON_S - 3_600);
    assert.deepEqual(await town.of(...rows), ["by-a", "unknown", "outside"]);
  });

  test("two equal rows of one second have one run each; a third is another program's", async () => {
    const town = new Town();
    town.run("a", ":h hi", NOON_S - 30);
    town.run("b", ":h hi", NOON_S - 30);
    const row = [":h hi", NOON_S - 29] as const;
    assert.deepEqual((await town.of(row, row, row)).toSorted(), ["by-a", "by-b", "outside"]);
  });

  test("is nobody whose run was never sent or did not run; an unknown outcome counts", async () => {
    const town = new Town();
    town.run("a", ":h one", NOON_S, { ran: "no", status: "failed" });
    town.run("c", ":h three", NOON_S, { ran: "unknown", status: "unknown" });
    const { sentAtMs: _, ...unsent } = runRecord({ id: "b", guildId, bindingId, text: ":h two", ran: "no" });
    town.runs.push({ ...unsent, askedAtMs: NOON_S * 1_000, status: "cancelled" });
    const rows = [":h one", ":h two", ":h three"].map((text) => [text, NOON_S] as const);
    assert.deepEqual(await town.of(...rows), ["outside", "outside", "by-c"]);
  });

  test("is found though it waited long for its turn, and other guilds' runs are never named", async () => {
    const town = new Town();
    town.run("a", ":ban Ann", NOON_S - 10, { askedAtMs: (NOON_S - 20 * 60) * 1_000 });
    town.run("b", ":ban Bob", NOON_S - 10, { guildId: "elsewhere" });
    town.linked = [binding, { ...binding, id: "theirs", guildId: "elsewhere" }];
    assert.deepEqual(await town.of([":ban Ann", NOON_S - 9], [":ban Bob", NOON_S - 9]), ["by-a", "unknown"]);
  });

  test("is not known where the audit is busy, was read in part, or is older than it is kept", async () => {
    const town = new Town();
    town.run("a", ":h hi", NOON_S - 10);
    const rows = [
      [":h hi", NOON_S - 10],
      [":h no", NOON_S - 10],
    ] as const;
    for (const ends of [{ next: "1" }, { stoppedAt: "1" }]) {
      town.ends = ends;
      assert.deepEqual(await town.of(...rows), ["by-a", "unknown"]);
    }
    town.ends = {};
    assert.deepEqual(await town.of([":h hi", NOON_S - 91 * DAY_S]), ["unknown"]);
    town.failure = new Failure("busy", "other searches run");
    assert.deepEqual(await town.of(...rows), ["unknown", "unknown"]);
    const gone = await town.authors.of(guildId, [{ bindingId: "unlinked", text: ":h hi", atS: NOON_S }]);
    assert.deepEqual(gone, [{ kind: "unknown" }]);
  });

  test("rows that lie close together cost one search of the audit, and none cost none", async () => {
    const town = new Town();
    assert.deepEqual(await town.of(), []);
    assert.equal(town.searches.length, 0);
    const minutes = [0, 5, 12, 200, 210];
    await town.of(...minutes.map((minute) => [":h hi", NOON_S - minute * 60] as const));
    assert.equal(town.searches.length, 2);
    for (const { limit, bindingId: of } of town.searches) assert.deepEqual([limit, of], [500, bindingId]);
  });
});
