/** What Discord refuses, with its status, code and words. */

const refusals = {
  notFound: [404, 0, "404: Not Found"],
  methodNotAllowed: [405, 0, "405: Method Not Allowed"],
  unauthorized: [401, 0, "401: Unauthorized"],
  unknownApplication: [404, 10002, "Unknown Application"],
  unknownChannel: [404, 10003, "Unknown Channel"],
  unknownGuild: [404, 10004, "Unknown Guild"],
  unknownMember: [404, 10007, "Unknown Member"],
  unknownMessage: [404, 10008, "Unknown Message"],
  unknownRole: [404, 10011, "Unknown Role"],
  unknownUser: [404, 10013, "Unknown User"],
  unknownWebhook: [404, 10015, "Unknown Webhook"],
  unknownInteraction: [404, 10062, "Unknown interaction"],
  unknownCommand: [404, 10063, "Unknown application command"],
  publishedEdits: [400, 20022, "This message cannot be edited due to announcement rate limits"],
  tooManyCommands: [400, 30032, "Maximum number of application commands reached (100)."],
  tooLarge: [413, 40005, "Request entity too large"],
  alreadyAcknowledged: [400, 40060, "Interaction has already been acknowledged."],
  missingAccess: [403, 50001, "Missing Access"],
  notYourMessage: [403, 50005, "Cannot edit a message authored by another user"],
  emptyMessage: [400, 50006, "Cannot send an empty message"],
  dmsClosed: [403, 50007, "Cannot send messages to this user"],
  notText: [400, 50008, "Cannot send messages in a non-text channel"],
  missingPermissions: [403, 50013, "Missing Permissions"],
  tooFewToDelete: [400, 50016, "You can only bulk delete between 2 and 100 messages"],
  wrongChannelType: [400, 50024, "Cannot execute action on this channel type"],
  invalidWebhookToken: [401, 50027, "Invalid Webhook Token"],
  invalidRole: [400, 50028, "Invalid Role"],
  tooOldToDelete: [400, 50034, "You can only bulk delete messages that are under 14 days old."],
  threadArchived: [400, 50083, "Thread is archived"],
  invalidJson: [400, 50109, "The request body contains invalid JSON."],
  noHistoryToReply: [400, 160002, "Cannot reply without permission to read message history"],
  noMutualGuilds: [403, 50278, "Cannot send messages to this user due to having no mutual guilds"],
  threadLocked: [400, 160005, "Thread is locked"],
  tooManyThreads: [400, 160006, "Maximum number of active threads reached"],
} as const;

export type Refusal = keyof typeof refusals;

/** An answer that is not a success. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    body: Readonly<Record<string, unknown>> & { message: string },
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(`${status} ${body.message}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

export function refuse(refusal: Refusal): ApiError {
  const [status, code, message] = refusals[refusal];
  return new ApiError(status, { message, code });
}

export type Path = readonly (string | number)[];

interface Branch {
  [key: string]: Branch | { code: string; message: string }[];
}

/** Gathers everything that is wrong with a form, so that one answer names it all, as Discord does (50035). */
export class Problems {
  readonly #root: Branch = {};
  #any = false;

  add(path: Path, code: string, message: string): void {
    this.#any = true;
    let branch = this.#root;
    for (const part of path) {
      const next = branch[part] ?? {};
      if (Array.isArray(next)) return;
      branch[part] = next;
      branch = next;
    }
    const found = branch._errors;
    const list = Array.isArray(found) ? found : [];
    list.push({ code, message });
    branch._errors = list;
  }

  get any(): boolean {
    return this.#any;
  }

  throwIfAny(): void {
    if (this.#any) throw new ApiError(400, { message: "Invalid Form Body", code: 50035, errors: this.#root });
  }
}
