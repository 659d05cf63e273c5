import { ChangedSince } from "../src/discord/command.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Picture } from "../src/domain/stats.ts";

/** The pictures under figures: words go first, and a picture that has to wait follows by itself. */

/** An answer can be changed for 15 minutes; others of the community may ask for pictures as well. */
const MOST_WAITS = 3;

export interface Drawn {
  readonly pngs: readonly Uint8Array[] | undefined;
  /** Why there is none, or that it follows. */
  readonly pictureWords?: Escaped;
}

/** What is there now, and where it has to wait, what comes of it, unless the message was changed since. Never rejects with a Failure. */
export async function* drawn(
  { history, clock }: Services,
  guildId: string,
  {
    pictures,
    subject,
    signal,
  }: {
    readonly pictures: readonly Picture[];
    /** Of what changes by the second: what is shown. The one just made of the same will do. */
    readonly subject?: string;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<Drawn> {
  if (pictures.length === 0) {
    yield { pngs: undefined };
    return;
  }
  try {
    for (let waits = 0; ; waits += 1) {
      const found = await history.stats.draw(guildId, pictures, { subject });
      if (signal.reason instanceof ChangedSince) return;
      if (found.kind === "made") {
        const { pngs, ofMs } = found;
        yield ofMs === undefined ? { pngs } : { pngs, pictureWords: earlierWords(ofMs) };
        return;
      }
      if (waits === MOST_WAITS) {
        yield {
          pngs: undefined,
          pictureWords: md`-# 🖼 Too many pictures at once. Ask again.`,
        };
        return;
      }
      yield { pngs: undefined, pictureWords: waitWords(found) };
      await clock.sleep(found.atMs - clock.nowMs(), signal);
    }
  } catch (error) {
    if (signal.reason instanceof ChangedSince) return;
    if (!(error instanceof Failure) && !signal.aborted) throw error;
    yield { pngs: undefined, pictureWords: md`-# 🖼 The picture could not be drawn. Ask again.` };
  }
}

function waitWords({ atMs, everyMs }: { readonly atMs: number; readonly everyMs: number }): Escaped {
  return md`-# 🖼 Next ${everyMs > 60_000 ? "replay" : "picture"} <t:${Math.ceil(atMs / 1_000)}:R>.`;
}

function earlierWords(ofMs: number): Escaped {
  return md`-# 🖼 The picture is from <t:${Math.floor(ofMs / 1_000)}:T>. Pictures are made once a minute.`;
}
