/**
 * The entries that a message of a log feed tells, each as the line that it would be alone: folded bursts are told apart
 * as a reader would. It shares nothing with the bot's own reading.
 */
export function entryLinesOf(content: string): string[] {
  let heading = "";
  return content.split("\n").flatMap((line) => {
    if (!line.startsWith("> ")) {
      heading = line;
      return isHeading(line) || !line.startsWith("<t:") ? [] : [line];
    }
    return unfolded(heading, line.slice(2));
  });
}

function isHeading(line: string): boolean {
  return /\*\*\d+(?: \w+)?\*\* in [\d\s\w]+(?: · \d+\w\w in [\d\s\w]+)?$/u.test(line);
}

function unfolded(heading: string, quoted: string): string[] {
  const [, symbol = "", rest = ""] = /^<t:\d+:T> (\S+) (.+)$/u.exec(heading) ?? [];
  const [, by = ""] = /^(.+) (?:killed|ran) \*\*\d+/u.exec(rest) ?? [];
  let second = "";
  const parts = rest.includes(" ran **") ? [quoted] : quoted.split(/, (?=(?:<t:\d+:T> )?\*\*)/u);
  return parts.map((part) => {
    second = /^<t:\d+:T>/.exec(part)?.[0] ?? second;
    const what = part.replace(/^<t:\d+:T> /, "");
    if (rest.includes(" ran **")) return `${second} ${symbol} ${by} ran ${what}`;
    if (rest.includes(" killed **")) return `${second} ${symbol} ${by} killed ${what}`;
    const word = /^\*\*\d+ (\w+)\*\*/u.exec(rest)?.[1] ?? "?";
    return `${second} ${symbol} ${what.replace(/^(\*\*.+\*\*)/u, `$1 ${word}`)}`;
  });
}
