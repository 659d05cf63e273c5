import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  type Block,
  type Inline,
  parseInline,
  parseMarkdown,
  safeUrl,
} from "../../../src/sandbox/web/page/markdown.ts";

function textOf(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if ("children" in node) return textOf(node.children);
      return "text" in node ? node.text : "";
    })
    .join("");
}

function blockTexts(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      if (block.kind === "code") return block.text;
      if (block.kind === "quote") return blockTexts(block.blocks);
      return block.kind === "list"
        ? block.items.map(({ children }) => textOf(children)).join("\n")
        : textOf(block.children);
    })
    .join("\n");
}

const kinds = (text: string) => parseInline(text).map(({ kind }) => kind);

describe("the page's Markdown", () => {
  test("knows bold, italic, underlined, struck, hidden and code, in one another", () => {
    assert.deepEqual(
      kinds("**b** *i* _i_ __u__ ~~s~~ ||h|| `c`").filter((kind) => kind !== "text"),
      [...["bold", "italic", "italic", "underline", "strike", "spoiler", "code"]],
    );
    const [bold] = parseInline("**a *b* c**");
    assert.ok(bold?.kind === "bold");
    assert.deepEqual(
      bold.children.map(({ kind }) => kind),
      ["text", "italic", "text"],
    );
  });

  test("leaves names with underscores and lone stars as they are", () => {
    for (const text of ["some_one_here", "2 * 3 * 4", "a*", "**", "snake_case_name joined"]) {
      assert.deepEqual(parseInline(text), [{ kind: "text", text }]);
    }
  });

  test("takes a backslash as the end of a mark's meaning", () => {
    assert.deepEqual(parseInline("\\*\\*x\\*\\* \\@everyone \\<@1>"), [
      { kind: "text", text: "**x** @everyone <@1>" },
    ]);
  });

  test("reads timestamps, mentions and commands, and only with whole ids", () => {
    assert.deepEqual(parseInline("<t:1700000000:R>"), [
      { kind: "time", atMs: 1_700_000_000_000, style: "R" },
    ]);
    assert.deepEqual(
      kinds(
        "<@123456789012345678><@&123456789012345678><#123456789012345678></run command:123456789012345678>",
      ),
      [...["user", "role", "channel", "command"]],
    );
    assert.deepEqual(kinds("<@1> <#x> <t:abc> <t:9999999999999:R>"), ["text"]);
  });

  test("links lead to http and https only", () => {
    const [link] = parseInline("[profile](https://example.org/a_(b))");
    assert.ok(link?.kind === "link");
    assert.equal(link.href, "https://example.org/a_(b)");
    for (const text of ["[x](javascript:alert(1))", "[x](data:text/html,x)", "[x](//example.org)"])
      assert.deepEqual(kinds(text), ["text"]);
    assert.equal(safeUrl("JaVaScRiPt:alert(1)"), undefined);
  });

  test("knows headings, subtext, quotes, lists and code blocks", () => {
    const blocks = parseMarkdown(
      "# H\n-# small\n> q1\n> q2\n- a\n  - b\n1. one\n2. two\n```ts\nlet **x**;\n```\nend",
    );
    assert.deepEqual(
      blocks.map(({ kind }) => kind),
      ["heading", "subtext", "quote", "list", "list", "code", "paragraph"],
    );
    const code = blocks.find((block) => block.kind === "code");
    assert.ok(code?.kind === "code");
    assert.deepEqual([code.language, code.text], ["ts", "let **x**;"]);
    const list = blocks.find((block) => block.kind === "list");
    assert.ok(list?.kind === "list");
    assert.deepEqual(
      list.items.map(({ indent }) => indent),
      [0, 1],
    );
  });

  test("loses no letter of any text, whatever it is made of", () => {
    const mark = fc.constantFrom(
      ..."*_~|`<>@#[]()\\-.:t0123 \nab".split(""),
      "**",
      "__",
      "||",
      "```",
      "<t:1:R>",
      "https://a.b/c",
    );
    fc.assert(
      fc.property(
        fc.array(mark, { maxLength: 60 }).map((parts) => parts.join("")),
        (text) => {
          const letters = (from: string) => from.replace(/[^ab]/g, "");
          const linkless = text.replaceAll("https://a.b/c", "").replaceAll("<t:1:R>", "");
          const shown = blockTexts(parseMarkdown(text)).replaceAll("https://a.b/c", "");
          // The language of a code block and the address of a link are no text; nothing else may go.
          if (!/```|\]\(|<t:|<\//.test(text)) assert.equal(letters(shown), letters(linkless));
          assert.ok(shown.length <= text.length);
        },
      ),
      { numRuns: 400 },
    );
  });

  test("reads the longest message in a blink, even one made to be slow", () => {
    for (const evil of ["*", "**", "_", "__", "[", "`", "||", "<", "> ", "(", "**_", "[[](", "- "])
      assert.ok(parseMarkdown(evil.repeat(4_000 / evil.length)).length > 0, evil);
  });
});
