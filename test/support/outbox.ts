import { isPossiblyRepeated, possiblyRepeated, tooManyWaitNotice } from "../../src/discord/render/notices.ts";
import type { Clock } from "../../src/domain/ports/clock.ts";
import type { DirectMessages } from "../../src/domain/ports/notifier.ts";
import type { Remover, Sink } from "../../src/domain/ports/sink.ts";
import { createOutbox, type Outbox } from "../../src/outbox/create-outbox.ts";
import type { Notices } from "../../src/outbox/notices.ts";
import { parseOwedNotice } from "../../src/outbox/owed-notice.ts";
import { seededRandom } from "./clock.ts";
import { MemoryDocuments } from "./memory-documents.ts";
import { FakeMetrics } from "./network.ts";

const PLAIN_DIRECT: DirectMessages = {
  open: async (userId) => `direct ${userId}`,
  bodyFrom: (_, body) => body,
};

/** The real outbox over a sink of a test. */
export function outboxOver(
  sink: Sink & Partial<Remover>,
  clock: Clock,
  direct: DirectMessages = PLAIN_DIRECT,
): Outbox {
  return createOutbox({
    sink: {
      send: (...given) => sink.send(...given),
      edit: (...given) => sink.edit(...given),
      readBack: (channelId, after, limit) => sink.readBack(channelId, after, limit),
      remove: async (...given) => sink.remove?.(...given),
    },
    direct,
    clock,
    random: seededRandom(11),
    metrics: new FakeMetrics(),
    guildOf: (channelId) => channelId,
    possiblyRepeated,
    isPossiblyRepeated,
    report: () => undefined,
  });
}

/** Its notices, of a community that has said `noticeChannelId`. `owed`: those that outlive the bot. */
export function noticesOf(
  outbox: Outbox,
  noticeChannelId = "notices",
  owed = new MemoryDocuments(parseOwedNotice),
): Notices {
  return outbox.notices({
    owed,
    noticeChannelOf: async () => noticeChannelId,
    linkerOf: async () => "linker",
    late: (body) => body,
    tooManyWait: tooManyWaitNotice(),
  });
}
