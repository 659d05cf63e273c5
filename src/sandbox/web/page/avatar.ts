const backs = ["#5865f2", "#3ba55d", "#c27c0e", "#ad1457", "#206694", "#71368a", "#a84300", "#11806a"];
const star =
  "M32 11l6.300 12.900 14.200 2-10.300 10 2.500 14.200L32 43.400l-12.700 6.700 2.500-14.200-10.300-10 14.200-2z";

/** A round picture with the first letter, drawn here: real ones would come from outside the machine. */
export function avatarOf(name: string, id: string, isBot: boolean): string {
  const letter = [...name.replace(/[^\p{L}\p{N}]/gu, "")][0]?.toUpperCase() ?? "?";
  const back = isBot
    ? backs[0]
    : backs[Number((BigInt(`0${id.replace(/\D/g, "")}`) >> 2n) % BigInt(backs.length))];
  const mark = isBot
    ? `<path d='${star}' fill='#fff'/>`
    : `<text x='32' y='42' font-family='sans-serif' font-size='28' font-weight='600' text-anchor='middle' fill='#fff'>${letter}</text>`;
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 64 64'><circle cx='32' cy='32' r='32' fill='${back}'/>${mark}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
