import { z } from "zod";
import { FEED_KINDS } from "../domain/feed-kinds.ts";
import { type Binding, type Feed, GUIDE_STEPS, type GuildSettings } from "../domain/guild.ts";
import type { SourceId } from "../domain/model.ts";
import type { Linked } from "../domain/ports/bindings.ts";
import type { AnswerPlace } from "../domain/ports/run-answers.ts";
import { type AuditEvent, RUN_ORIGINS, type RunRecord } from "../domain/run.ts";
import { TIERS } from "../domain/tiers.ts";
import type { DayList, ListPage } from "./audit/row-lists.ts";

/** The shapes of stored documents, checked on every reading: a file of another version must not be half understood. */

const source = z.custom<SourceId>((value) => typeof value === "string" && value !== "");

const sealedBinding = z.object({
  id: z.string(),
  guildId: z.string(),
  source,
  name: z.string(),
  isRenamed: z.boolean().exactOptional(),
  formerNames: z.array(z.string()).exactOptional(),
  keyEnd: z.string().exactOptional(),
  ownerId: z.number(),
  joinKey: z.string(),
  linkedBy: z.string(),
  linkedAtMs: z.number(),
  sealed: z.string(),
  unfinished: z
    .object({
      replaced: source.exactOptional(),
      moderatorRoleIds: z.array(z.string()).readonly().exactOptional(),
    })
    .exactOptional(),
});

export interface SealedBinding extends Binding {
  readonly sealed: string;
  /** Not all wings have gone along with this link yet; `replaced` is the source that the key before made it. */
  readonly unfinished?: Omit<Linked, "binding">;
}

/** A server of a guild that has left: what makes it the same one again, and no key. */
const formerBinding = z.object({ id: z.string(), ownerId: z.number(), joinKey: z.string() });

export type FormerBinding = Readonly<z.infer<typeof formerBinding>>;

const guildBindings = z.object({
  bindings: z.array(sealedBinding),
  former: z.array(formerBinding).exactOptional(),
});

export interface GuildBindings {
  readonly bindings: readonly SealedBinding[];
  readonly former?: readonly FormerBinding[];
}

export function parseGuildBindings(value: unknown): GuildBindings {
  return guildBindings.parse(value);
}

const texts = z.array(z.string());
/** JSON knows no undefined: what was left out stays left out. */
const feed = z.object({
  id: z.string(),
  guildId: z.string(),
  bindingId: z.string(),
  kind: z.enum(FEED_KINDS),
  channelId: z.string(),
  style: z.enum(["lines", "cards"]),
  filter: z.object({
    teams: texts.exactOptional(),
    players: texts.exactOptional(),
    verbs: texts.exactOptional(),
  }),
  pingRoleId: z.string().exactOptional(),
  pingCooldownMs: z.number().exactOptional(),
  escalateAfterMs: z.number().exactOptional(),
  silent: z.boolean(),
  state: z.enum(["live", "paused", "parked"]),
  parkedWhy: z.string().exactOptional(),
  createdBy: z.string(),
  createdAtMs: z.number(),
});

const departedGuild = z.object({ leftAtMs: z.number(), feeds: z.array(feed) });

/** What is noted of a guild that has left, beside its settings and audit. */
export interface RemovedGuild {
  /** Epoch milliseconds. */
  readonly leftAtMs: number;
  readonly feeds: readonly Feed[];
}

export function parseRemovedGuild(value: unknown): RemovedGuild {
  return departedGuild.parse(value);
}

export function parseFeed(value: unknown): Feed {
  return feed.parse(value);
}

const rule = z.object({ roleId: z.string(), verb: z.string() });
const policy = z.object({
  roleTiers: z.record(z.string(), z.enum(TIERS)),
  allowed: z.array(rule),
  denied: z.array(rule),
  protectedPlayers: texts,
  protectedAliases: z.record(z.string(), z.string()).exactOptional(),
});

const settings = z.object({
  guide: z
    .object({
      step: z.enum(GUIDE_STEPS),
      skipped: z.array(z.enum(GUIDE_STEPS)).exactOptional(),
      bindingId: z.string().exactOptional(),
      isTested: z.boolean().exactOptional(),
      hadCommands: z.boolean().exactOptional(),
    })
    .exactOptional(),
  guideOfferedForJoinMs: z.number().exactOptional(),
  timeZone: z.string().exactOptional(),
  defaultServer: z.string().exactOptional(),
  channelServers: z.record(z.string(), z.string()).exactOptional(),
  noticeChannelId: z.string().exactOptional(),
  auditChannelId: z.string().exactOptional(),
  caseChannelId: z.string().exactOptional(),
  appealChannelId: z.string().exactOptional(),
  appealButtonChannelId: z.string().exactOptional(),
  tellsWarned: z.boolean().exactOptional(),
  watchChannelId: z.string().exactOptional(),
  watchRoleId: z.string().exactOptional(),
  pictureLook: z.enum(["dark", "light"]).exactOptional(),
  staffFiguresFor: z.enum(["managers", "moderators"]).exactOptional(),
  pingsOnDuty: z.boolean().exactOptional(),
  automaticPause: z.object({ byId: z.string(), atMs: z.number() }).exactOptional(),
  auditRetentionDays: z.number(),
  policies: z.record(z.string(), policy),
  presets: z.array(z.object({ name: z.string(), text: z.string(), createdBy: z.string() })),
});

export function parseSettings(value: unknown): GuildSettings {
  return settings.parse(value);
}

const run = z.object({
  id: z.string(),
  guildId: z.string(),
  bindingId: z.string(),
  source,
  serverName: z.string(),
  actorId: z.string(),
  actorName: z.string(),
  actorRoleIds: texts,
  origin: z.enum(RUN_ORIGINS),
  text: z.string(),
  verb: z.string().exactOptional(),
  askedAtMs: z.number(),
  channelId: z.string(),
  status: z.enum(["waiting", "sending", "done", "failed", "unknown", "cancelled", "expired", "denied"]),
  sentAtMs: z.number().exactOptional(),
  endedAtMs: z.number().exactOptional(),
  ran: z.enum(["yes", "no", "unknown"]),
  message: z.string().exactOptional(),
  failureCode: z.string().exactOptional(),
  knownSinceMs: z.number().exactOptional(),
  commandId: z.string().exactOptional(),
  proof: z.enum(["unchecked", "seen", "seen-twice", "not-seen"]),
  hit: texts.exactOptional(),
  alike: texts.exactOptional(),
  byId: z.array(z.object({ name: z.string(), id: z.number() })).exactOptional(),
  // Before a command could need several to undo it, it was one text.
  inverse: z
    .string()
    .transform((text) => [text])
    .or(texts)
    .exactOptional(),
  undoes: z.string().exactOptional(),
  tells: z.number().exactOptional(),
  interrupted: z.literal(true).exactOptional(),
  ends: z
    .object({
      term: z.object({ lastsMs: z.number() }).or(z.object({ untilMs: z.number() })),
      atMs: z.number().exactOptional(),
    })
    .exactOptional(),
  askedBy: z.string().exactOptional(),
  isInGameOnly: z.literal(true).exactOptional(),
});

export function parseRun(value: unknown): RunRecord {
  return run.parse(value);
}

const event = z.object({
  id: z.string(),
  guildId: z.string(),
  atMs: z.number(),
  actorId: z.string(),
  actorName: z.string(),
  action: z.string(),
  text: z.string(),
});

export function parseEvent(value: unknown): AuditEvent {
  return event.parse(value);
}

const dayList = z.object({ days: texts });

export function parseDayList(value: unknown): DayList {
  return dayList.parse(value);
}

const listPage = z.object({
  sealed: z.number().exactOptional(),
  entries: z.array(z.object({ id: z.string(), atMs: z.number(), also: texts.exactOptional() })),
});

export function parseListPage(value: unknown): ListPage {
  return listPage.parse(value);
}

const sealedRoot = z.object({ sealed: z.string() });

export type SealedRoot = Readonly<z.infer<typeof sealedRoot>>;

export function parseSealedRoot(value: unknown): SealedRoot {
  return sealedRoot.parse(value);
}

const formMark = z.object({
  form: z.int(),
  // Absent in stores of the first releases, until one that knows of it has begun on them.
  store: z.string().exactOptional(),
  secret: z.string().exactOptional(),
  madeAtMs: z.number().exactOptional(),
});

/** What a store says of itself: its form, which store it is, which secret is its own, and since when. */
export type FormMark = Readonly<z.infer<typeof formMark>>;

export function parseFormMark(value: unknown): FormMark {
  return formMark.parse(value);
}

const sealedAnswer = z.object({
  guildId: z.string(),
  sealed: z.string(),
  untilMs: z.number(),
  isShown: z.boolean().optional(),
});

export type SealedAnswer = Readonly<z.infer<typeof sealedAnswer>>;

export function parseSealedAnswer(value: unknown): SealedAnswer {
  return sealedAnswer.parse(value);
}

const answerPlace = z.object({ applicationId: z.string(), token: z.string(), untilMs: z.number() });

export function parseAnswerPlace(value: unknown): AnswerPlace {
  return answerPlace.parse(value);
}

const openMark = z.object({ guildId: z.string() });

export function parseOpenMark(value: unknown): { readonly guildId: string } {
  return openMark.parse(value);
}
