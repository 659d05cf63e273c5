/** Outside text as a picture shows it. Pure. */

const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu;
/** The font has Latin, Greek and Cyrillic letters, digits and signs; anything else would be drawn as nothing. */
const NOT_IN_FONT =
  /[^\u0020-\u024f\u0370-\u03ff\u0400-\u052f\u1e00-\u1eff\u2010-\u2027\u2030-\u203a\u20a0-\u20bf]/gu;

/** One line, cut, without what is invisible; what the font lacks is a box. Never empty. */
export function pictureText(text: string, max: number): string {
  const line = text
    .normalize("NFC")
    .replace(UNSEEN, "")
    .replace(NOT_IN_FONT, "□")
    .replace(/\s+/gu, " ")
    .trim();
  if (line === "") return "(no name)";
  const points = [...line];
  return points.length <= max ? line : `${points.slice(0, max - 1).join("")}…`;
}
