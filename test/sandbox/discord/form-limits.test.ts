import assert from "node:assert/strict";
import { test } from "node:test";
import { type Rig, refusalOf, startDiscord } from "./rig.ts";

function post(rig: Rig, body: object): Promise<unknown> {
  return rig.rest.post(`/channels/${rig.channel.id}/messages`, { body });
}

const x = (length: number): string => "x".repeat(length);
const row = (...components: object[]): object => ({ type: 1, components });
const link = (length: number) => ({
  type: 2,
  style: 5,
  label: "l",
  url: `https://a.b/${"x".repeat(length - 12)}`,
});
const button = (id: string, more: object = {}): object => ({
  type: 2,
  style: 1,
  label: "L",
  custom_id: id,
  ...more,
});
const options = (count: number): object[] =>
  Array.from({ length: count }, (_, n) => ({ label: `${n}`, value: `${n}` }));
const select = (id: string, more: object = {}): object => ({
  type: 3,
  custom_id: id,
  options: options(2),
  ...more,
});
const embed = (more: object): object => ({ embeds: [{ title: "t", ...more }] });
const controls = (...components: object[]): object => ({ content: "c", components });
const fields = (count: number): object[] => Array.from({ length: count }, () => ({ name: "n", value: "v" }));

/** What still fits, and what is one too many with the place Discord names. */
const limits: readonly (readonly [rule: string, fits: object, over: object, at: string])[] = [
  ["content 2000", { content: x(2000) }, { content: x(2001) }, "content:BASE_TYPE_MAX_LENGTH"],
  [
    "10 embeds",
    { embeds: Array(10).fill({ title: "t" }) },
    { embeds: Array(11).fill({ title: "t" }) },
    "embeds:BASE_TYPE_MAX_LENGTH",
  ],
  [
    "6000 characters in all embeds",
    { embeds: [{ description: x(4096) }, { description: x(1904) }] },
    { embeds: [{ description: x(4096) }, { description: x(1905) }] },
    "embeds:MAX_EMBED_SIZE_EXCEEDED",
  ],
  ["title 256", embed({ title: x(256) }), embed({ title: x(257) }), "embeds.0.title:BASE_TYPE_MAX_LENGTH"],
  [
    "description 4096",
    embed({ description: x(4096) }),
    embed({ description: x(4097) }),
    "embeds.0.description:BASE_TYPE_MAX_LENGTH",
  ],
  [
    "25 fields",
    embed({ fields: fields(25) }),
    embed({ fields: fields(26) }),
    "embeds.0.fields:BASE_TYPE_MAX_LENGTH",
  ],
  [
    "field name 256",
    embed({ fields: [{ name: x(256), value: "v" }] }),
    embed({ fields: [{ name: x(257), value: "v" }] }),
    "embeds.0.fields.0.name:BASE_TYPE_MAX_LENGTH",
  ],
  [
    "field value 1024",
    embed({ fields: [{ name: "n", value: x(1024) }] }),
    embed({ fields: [{ name: "n", value: x(1025) }] }),
    "embeds.0.fields.0.value:BASE_TYPE_MAX_LENGTH",
  ],
  [
    "field value present",
    embed({ fields: [{ name: "n", value: "v" }] }),
    embed({ fields: [{ name: "n", value: " " }] }),
    "embeds.0.fields.0.value:BASE_TYPE_REQUIRED",
  ],
  [
    "footer 2048",
    embed({ footer: { text: x(2048) } }),
    embed({ footer: { text: x(2049) } }),
    "embeds.0.footer.text:BASE_TYPE_MAX_LENGTH",
  ],
  [
    "author 256",
    embed({ author: { name: x(256) } }),
    embed({ author: { name: x(257) } }),
    "embeds.0.author.name:BASE_TYPE_MAX_LENGTH",
  ],
  ["colour", embed({ color: 0xffffff }), embed({ color: 0x1000000 }), "embeds.0.color:NUMBER_TYPE_MAX"],
  [
    "embed addresses",
    embed({ url: "https://a.b" }),
    embed({ url: "javascript:1" }),
    "embeds.0.url:URL_TYPE_INVALID_SCHEME",
  ],
  [
    "an embed with something in it",
    { embeds: [{ title: "t" }] },
    { embeds: [{ color: 1 }] },
    "embeds.0.description:BASE_TYPE_REQUIRED",
  ],
  [
    "5 rows",
    controls(...Array.from({ length: 5 }, (_, n) => row(button(`${n}`)))),
    controls(...Array.from({ length: 6 }, (_, n) => row(button(`${n}`)))),
    "components:BASE_TYPE_MAX_LENGTH",
  ],
  [
    "5 buttons a row",
    controls(row(...[1, 2, 3, 4, 5].map((n) => button(`${n}`)))),
    controls(row(...[1, 2, 3, 4, 5, 6].map((n) => button(`${n}`)))),
    "components.0.components:BASE_TYPE_BAD_LENGTH",
  ],
  [
    "one select a row",
    controls(row(select("a"))),
    controls(row(select("a"), button("b"))),
    "components.0:COMPONENT_LAYOUT_WIDTH_EXCEEDED",
  ],
  [
    "custom_id 100",
    controls(row(button(x(100)))),
    controls(row(button(x(101)))),
    "components.0.components.0.custom_id:BASE_TYPE_BAD_LENGTH",
  ],
  [
    "custom_id once",
    controls(row(button("a"), button("b"))),
    controls(row(button("a"), button("a"))),
    "components.0.components.1.custom_id:COMPONENT_CUSTOM_ID_DUPLICATED",
  ],
  [
    "button label 80",
    controls(row(button("a", { label: x(80) }))),
    controls(row(button("a", { label: x(81) }))),
    "components.0.components.0.label:BASE_TYPE_MAX_LENGTH",
  ],
  [
    "button address 512",
    controls(row(link(512))),
    controls(row(link(513))),
    "components.0.components.0.url:BASE_TYPE_MAX_LENGTH",
  ],
  [
    "25 options",
    controls(row(select("a", { options: options(25) }))),
    controls(row(select("a", { options: options(26) }))),
    "components.0.components.0.options:BASE_TYPE_BAD_LENGTH",
  ],
  [
    "option value 100",
    controls(row(select("a", { options: [{ label: "l", value: x(100) }] }))),
    controls(row(select("a", { options: [{ label: "l", value: x(101) }] }))),
    "components.0.components.0.options.0.value:BASE_TYPE_BAD_LENGTH",
  ],
  [
    "option value once",
    controls(row(select("a"))),
    controls(row(select("a", { options: [...options(1), ...options(1)] }))),
    "components.0.components.0.options.1.value:SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
  ],
  [
    "placeholder 150",
    controls(row(select("a", { placeholder: x(150) }))),
    controls(row(select("a", { placeholder: x(151) }))),
    "components.0.components.0.placeholder:BASE_TYPE_MAX_LENGTH",
  ],
  ["nonce 25", { content: "c", nonce: x(25) }, { content: "c", nonce: x(26) }, "nonce:BASE_TYPE_MAX_LENGTH"],
];

for (const [rule, fits, over, at] of limits) {
  test(`a message may have ${rule}, and is refused with 50035 beyond`, async (t) => {
    const rig = await startDiscord(t);
    await post(rig, fits);
    const { status, code, paths } = await refusalOf(post(rig, over));
    assert.deepEqual([status, code], [400, 50035]);
    assert.ok(paths.includes(at), `${paths.join(", ")} names ${at}`);
    assert.equal(rig.discord.messages(rig.channel).length, 1, "nothing was stored");
  });
}

test("an empty message is refused with 50006, at creation and by an edit", async (t) => {
  const rig = await startDiscord(t);
  assert.equal((await refusalOf(post(rig, {}))).code, 50006);
  assert.equal((await refusalOf(post(rig, { content: "  \n" }))).code, 50006);
  assert.equal((await refusalOf(post(rig, { components: [row(button("a"))] }))).code, 50006);
  const { id } = rig.person.post(rig.channel, "not mine");
  await post(rig, { content: "mine" });
  const mine = rig.discord.messages(rig.channel).at(-1);
  assert.notEqual(mine?.id, id);
  const edit = rig.rest.patch(`/channels/${rig.channel.id}/messages/${mine?.id}`, { body: { content: "" } });
  assert.equal((await refusalOf(edit)).code, 50006);
});

test("everything that is wrong is named in one answer", async (t) => {
  const rig = await startDiscord(t);
  const { paths } = await refusalOf(
    post(rig, { content: x(2001), embeds: [{ title: x(257), footer: { text: x(2049) } }] }),
  );
  assert.deepEqual(paths, [
    "content:BASE_TYPE_MAX_LENGTH",
    "embeds.0.title:BASE_TYPE_MAX_LENGTH",
    "embeds.0.footer.text:BASE_TYPE_MAX_LENGTH",
  ]);
});

test("lengths count characters, not UTF-16 halves", async (t) => {
  const rig = await startDiscord(t);
  await post(rig, { content: "😀".repeat(2000) });
  assert.equal((await refusalOf(post(rig, { content: "😀".repeat(2001) }))).code, 50035);
});

test("a body that is no JSON is 50109, a request that is too large 40005, an unknown route 404", async (t) => {
  const rig = await startDiscord(t);
  const url = `${rig.discord.apiUrl}/v10/channels/${rig.channel.id}/messages`;
  const headers = { authorization: `Bot ${rig.discord.token}`, "content-type": "application/json" };
  const broken = await fetch(url, { method: "POST", headers, body: "{" });
  assert.deepEqual(
    [broken.status, (await broken.json()) as unknown],
    [400, { message: "The request body contains invalid JSON.", code: 50109 }],
  );
  rig.discord.limits.maxUploadBytes = 10;
  assert.deepEqual(await refusalOf(post(rig, { content: "more than ten" })), {
    status: 413,
    code: 40005,
    paths: [],
  });
  assert.equal((await refusalOf(rig.rest.get("/nowhere"))).status, 404);
});

test("a file larger than a file may be is 40005", async (t) => {
  const rig = await startDiscord(t);
  rig.discord.limits.maxFileBytes = 10;
  const send = (contents: string) =>
    rig.rest.post(`/channels/${rig.channel.id}/messages`, {
      body: { content: "a file" },
      files: [{ name: "a.txt", data: Buffer.from(contents), contentType: "text/plain" }],
    });
  await send("just right");
  assert.deepEqual(await refusalOf(send("more than ten")), { status: 413, code: 40005, paths: [] });
});

test("command definitions have limits too", async (t) => {
  const rig = await startDiscord(t);
  const put = (...commands: object[]): Promise<unknown> =>
    rig.rest.put(`/applications/${rig.discord.applicationId}/commands`, { body: commands });
  const command = (more: object): object => ({ name: "run", description: "d", ...more });
  const option = (more: object): object =>
    command({ options: [{ type: 3, name: "o", description: "d", ...more }] });
  const choices = (count: number): object[] =>
    Array.from({ length: count }, (_, n) => ({ name: `${n}`, value: `${n}` }));
  const refused = async (...commands: object[]): Promise<readonly string[]> =>
    (await refusalOf(put(...commands))).paths;
  assert.deepEqual(await refused(command({ name: "Run" })), ["0.name:APPLICATION_COMMAND_INVALID_NAME"]);
  assert.deepEqual(await refused(command({ description: x(101) })), ["0.description:BASE_TYPE_BAD_LENGTH"]);
  assert.deepEqual(await refused(command({}), command({})), ["1.name:APPLICATION_COMMANDS_DUPLICATE_NAME"]);
  assert.deepEqual(await refused(option({ choices: choices(26) })), [
    "0.options.0.choices:BASE_TYPE_MAX_LENGTH",
  ]);
  assert.deepEqual(await refused(option({ choices: [{ name: "n", value: x(101) }] })), [
    "0.options.0.choices.0.value:BASE_TYPE_MAX_LENGTH",
  ]);
  assert.deepEqual(await refused(option({ choices: choices(1), autocomplete: true })), [
    "0.options.0.autocomplete:APPLICATION_COMMAND_OPTIONS_CHOICES_AUTOCOMPLETE",
  ]);
  const late = [
    { type: 3, name: "a", description: "d" },
    { type: 3, name: "b", description: "d", required: true },
  ];
  assert.deepEqual(await refused(command({ options: late })), [
    "0.options.1:APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
  ]);
  const mixed = [
    { type: 1, name: "a", description: "d" },
    { type: 3, name: "b", description: "d" },
  ];
  assert.deepEqual(await refused(command({ options: mixed })), [
    "0.options:APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
  ]);
  const full = { type: 3, name: "o", description: "d", choices: choices(25) };
  await put(command({}), command({ name: "two", options: [full] }));
  assert.equal(rig.discord.commands().length, 2);
});
