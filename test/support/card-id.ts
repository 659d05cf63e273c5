import { componentIdsOf, type MessageBody } from "../../src/domain/message.ts";

const MARK = /^(?:mod-[a-z]+:|map-open:[^/]*\/e|rewind-open:.*\/k)([0-9a-f]{12,16})(?:\/|$)/;

/** The id of a call's card, by the ids of its buttons; undefined: it is none. */
export function cardIdOf(componentIds: readonly string[]): string | undefined {
  return componentIds.map((id) => MARK.exec(id)?.[1]).find((id) => id !== undefined);
}

export function cardIdIn(body: MessageBody | undefined): string {
  return cardIdOf(componentIdsOf(body ?? {})) ?? "";
}
