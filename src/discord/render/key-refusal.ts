/** What the service says of a key that it refuses. Pure. */

const WRONG_OR_EXPIRED = /[^.!?]*\b(?:invalid|wrong) or expired\b[^.!?]*[.!?]?\s*/i;

/** What it says besides that the key is wrong or expired, which our own words say already; empty where that is all. */
export function beyondWrongKey(why: string): string {
  return why.replace(WRONG_OR_EXPIRED, "").trim();
}
