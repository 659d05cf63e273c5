import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  cut,
  cutLines,
  escapeMarkdown,
  inlineCode,
  inlineName,
  plainText,
} from "../../../src/discord/render/escape.ts";
import { md } from "../../../src/domain/escaped.ts";
import { anyText } from "../../support/any-text.ts";

/** Text made mostly of what hurts: Markdown, mentions, links, controls, direction marks. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "@everyone",
        "@here",
        "<@1>",
        "<@!12>",
        "<@&5>",
        "<#7>",
        "<t:1:R>",
        "</run:1>",
        "<:x:1>",
        "<a:x:1>",
        "https://evil.example/x",
        "http://a.b",
        "discord.gg/abc",
        "[x](https://e.example)",
        "<https://e.example>",
        "**",
        "__",
        "~~",
        "||",
        "`",
        "```",
        "\\",
        "> ",
        ">>> ",
        "# ",
        "-# ",
        "- ",
        "+ ",
        "1. ",
        ":smile:",
        "\n",
        "\r\n",
        "\u2028",
        "\u2029",
        "\u0085",
        "\v",
        "\f",
        "\t",
        "\u0000",
        "\u001b",
        "\u200b",
        "\u200d",
        "\u202e",
        "\u2066",
        "\u2067",
        "\u2069",
        "\ufeff",
        "\u00ad",
        "\u3164",
        "\ud800",
        "\udc00",
        "a\u0301\u0301\u0301\u0301\u0301",
        "שלום",
        "👩‍🚒",
      ),
      anyText({ maxLength: 6 }),
      fc.string({ maxLength: 6 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

/** What is left to Discord's parser once escaped characters are taken out. */
function live(markdown: string): string {
  return markdown.replace(/\\[^0-9A-Za-z\s]/g, "");
}

function assertHarmless(markdown: string): void {
  assert.doesNotMatch(markdown, /@(everyone|here)/, "pings everyone");
  assert.doesNotMatch(markdown, /<@[!&]?\d+>|<#\d+>|<a?:\w+:\d+>|<\/\w+:\d+>/, "mentions");
  assert.doesNotMatch(markdown, /https?:\/\/|discord\.gg\/\w/i, "links");
  assert.doesNotMatch(markdown, /[\n\r\v\f\t\u0085\u2028\u2029]/, "breaks the line");
  assert.doesNotMatch(live(markdown), /[*_~`|<>[\]()#]/, "formats");
  assert.doesNotMatch(live(markdown), /:[^\s:]+:/, "shows an emoji");
  assert.doesNotMatch(markdown, /^(\d+\.|[-+>#])/, "starts a list, a quote or a heading");
  assert.doesNotMatch(
    markdown.replaceAll("@\u200b", "@").replace(/^\u2068|\u2069$/g, ""),
    /[\p{Cc}\p{Cf}\p{Cs}]|\p{M}{4}/u,
    "hides or reorders",
  );
}

describe("escape", () => {
  test("nothing in an outside text pings, links, formats, hides or breaks a line", () => {
    fc.assert(
      fc.property(hostile, (text) => assertHarmless(escapeMarkdown(text))),
      { numRuns: 600 },
    );
    fc.assert(
      fc.property(hostile, (text) => assertHarmless(inlineName(text).replace("(no name)", ""))),
      { numRuns: 600 },
    );
  });

  test("what a reader sees is the text itself: every escape is taken back by Discord", () => {
    const shown = (markdown: string): string =>
      markdown.replaceAll("@\u200b", "@").replace(/\\([^0-9A-Za-z\s])/g, "$1");
    fc.assert(
      fc.property(hostile, (text) => assert.equal(shown(escapeMarkdown(text)), plainText(text))),
      { numRuns: 600 },
    );
  });

  test("a code span cannot be closed from within, nor hold a mention or an invite", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const span = inlineCode(text);
        assert.match(span, /^`[^`\n\r]+`$/u);
        assert.doesNotMatch(span, /@(everyone|here)|<@[!&]?\d+>|https?:\/\/|discord\.gg\/\w/i);
      }),
      { numRuns: 600 },
    );
  });

  test("a cut keeps within Discord's count and halves no pair", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 40 }),
        fc.integer({ min: 1, max: 30 }),
        (text, max) => {
          const short = cut(text, max);
          assert.ok(short.length <= Math.max(max, text.length <= max ? text.length : max));
          assert.ok(short.isWellFormed());
        },
      ),
    );
  });

  test("of lines whole ones are kept while all that was kept and the ellipsis fit", () => {
    const lines = [md`ab`, md`cd`];
    assert.equal(cutLines(lines, 8), "ab\ncd");
    assert.equal(cutLines(lines, 7), "ab\n…");
    assert.equal(cutLines(lines, 4), "…");
  });

  test("ordinary names stay as they are but for underscores", () => {
    assert.equal(inlineName("Builder_Man99"), "Builder\\_Man99");
    assert.equal(inlineName("@everyone **x** <@1>"), "@\u200beveryone \\*\\*x\\*\\* \\<@\u200b1\\>");
    assert.equal(inlineName("\u202e\u200b"), "\\(no name\\)");
    assert.equal(inlineName("שם"), "\u2068שם\u2069");
    assert.equal(inlineCode(":pm a `b`\nc"), "`:pm a ˋbˋ c`");
  });
});
