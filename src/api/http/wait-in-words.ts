import { greatest, sensibleWait } from "./headers.ts";

/** Times in words are cut to whole seconds, sometimes to whole minutes: a second is what a cut commonly hides. */
const CUT_MS = 1_000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_EPOCH_WAIT_MS = 365 * 86_400_000;

const AMOUNT = String.raw`(\d+(?:\.\d+)?)\s*(s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?)(?![a-z])`;
const ONE_AMOUNT = new RegExp(AMOUNT, "gi");
/** "1 hour and 30 minutes", "1h30m": one wait, the sum of its parts. */
const AMOUNTS = new RegExp(String.raw`${AMOUNT}(?:(?:\s*,)?(?:\s*and\s)?\s*${AMOUNT})*`, "gi");

const ISO_DATE = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g;
/** "Thu, 01 Jan 2026 13:00:00 GMT", "January 1st, 2026 at 1:00 PM UTC". */
const NAMED_DATE =
  /(?:\b\d{1,2}[ -])?\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?[ -](?:\d{1,2}(?:st|nd|rd|th)?,? )?\d{4},?(?: at)? \d{1,2}:\d\d(?::\d\d)?(?: ?[ap]m\b)?(?: ?(?:gmt|utc|z)\b)?(?:[+-]\d\d:?\d\d)?/gi;
const EPOCH_NUMBER = /\b\d{10}(?:\d{3})?\b/g;

/**
 * How long until a block lifts, as its message tells it (spec: Errors 2), milliseconds: a date, an epoch number, or "3
 * hours and 20 minutes". Of several the greatest; undefined where it names none. A date without a zone is UTC.
 */
export function waitInWords(message: string, nowMs: number): number | undefined {
  const waits: (number | undefined)[] = [];
  for (const [text] of message.matchAll(ISO_DATE)) {
    const zoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`;
    waits.push(sensibleWait(Date.parse(zoned.replace(" ", "T")) - nowMs + CUT_MS));
  }
  for (const [text] of message.matchAll(NAMED_DATE)) waits.push(sensibleWait(namedMs(text) - nowMs + CUT_MS));
  for (const [text] of message.matchAll(EPOCH_NUMBER))
    waits.push(epochWait(Number(text) * (text.length > 10 ? 1 : 1_000) - nowMs + CUT_MS));
  for (const [text] of message.matchAll(AMOUNTS)) waits.push(sensibleWait(sumMs(text)));
  return greatest(waits);
}

function sumMs(amounts: string): number {
  let sumMs = 0;
  for (const [, amount, unit = ""] of amounts.matchAll(ONE_AMOUNT))
    sumMs += Number(amount) * (UNIT_MS[unit.charAt(0).toLowerCase()] ?? Number.NaN);
  return sumMs;
}

function namedMs(text: string): number {
  const plain = text.replace(/(\d)(?:st|nd|rd|th)\b/i, "$1").replace(/,| at\b/gi, "");
  return Date.parse(/(?:gmt|utc|z|[+-]\d\d:?\d\d)$/i.test(plain) ? plain : `${plain} UTC`);
}

/** A bare number may be somebody's id: only one that lies within a year is a time. */
function epochWait(ms: number): number | undefined {
  return ms < LONGEST_EPOCH_WAIT_MS ? sensibleWait(ms) : undefined;
}
