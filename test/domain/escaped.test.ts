import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { channelMention, joined, md, roleMention, userMention } from "../../src/domain/escaped.ts";
import type { Card } from "../../src/domain/message.ts";

describe("Text for Markdown", () => {
  test("takes literals, numbers and escaped parts", () => {
    const state = Math.abs(1) === 1 ? "left" : "joined";
    assert.equal(md`${roleMention("1")} ${state} ${2}`, "<@&1> left 2");
    assert.equal(joined([md`a`, "", channelMention("2"), userMention("3")], "\n"), "a\n\n<#2>\n<@3>");
  });

  test("takes no string of which the source is unknown: the type checker says so", () => {
    const name: string = ["**Bob**"].join("");
    const half: `x${string}` = `x${name}`;
    // @ts-expect-error a plain string
    md`${name}`;
    // @ts-expect-error the unknown part of a pattern
    md`${half}`;
    // @ts-expect-error one way of a condition
    md`${name === "" ? "nobody" : name}`;
    // @ts-expect-error among escaped parts
    joined([md`a`, name], "\n");
    // @ts-expect-error a card's text
    const card: Card = { title: name };
    assert.equal(card.title, "**Bob**");
  });
});
