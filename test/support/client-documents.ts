import {
  parseCommandPermission,
  parseHalt,
  parseKeyBudget,
  parseOpenRequests,
  parseRefusedRead,
  parseRejected,
  parseTakenKey,
} from "../../src/api/stored-records.ts";
import { MemoryDocuments } from "./memory-documents.ts";

/** What a client of the service keeps over a restart, as texts; hand it to the next process. */
export class ClientTexts {
  readonly halts = new Map<string, string>();
  readonly rejected = new Map<string, string>();
  readonly keyBudget = new Map<string, string>();
  readonly openRequests = new Map<string, string>();
  readonly takenKeys = new Map<string, string>();
  readonly refusedReads = new Map<string, string>();
  readonly commandPermissions = new Map<string, string>();
}

export type ClientDocuments = ReturnType<typeof clientDocuments>;

/** The documents of one process of the client. */
export function clientDocuments(texts = new ClientTexts()) {
  return {
    halts: new MemoryDocuments(parseHalt, texts.halts),
    rejected: new MemoryDocuments(parseRejected, texts.rejected),
    keyBudget: new MemoryDocuments(parseKeyBudget, texts.keyBudget),
    openRequests: new MemoryDocuments(parseOpenRequests, texts.openRequests),
    takenKeys: new MemoryDocuments(parseTakenKey, texts.takenKeys),
    refusedReads: new MemoryDocuments(parseRefusedRead, texts.refusedReads),
    commandPermissions: new MemoryDocuments(parseCommandPermission, texts.commandPermissions),
  };
}
