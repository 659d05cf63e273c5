import type { Channel, Exchange, Member, Message, Modal, Value } from "./discord/types.ts";
import type { Stage } from "./stage.ts";

/** What an owner does to set Marshal up, done through the emulated Discord as they would: forms and buttons. */

/** A text input and a role select: the two kinds of field that the setup form may hold, by their component type. */
const fieldTypes = { text: 4, role: 6 } as const;

function fieldOf(modal: Modal, kind: keyof typeof fieldTypes): string {
  const field = modal.fields.find(({ component }) => component.type === fieldTypes[kind]);
  if (field === undefined) throw new Error(`the form "${modal.title}" has no ${kind} field`);
  return field.customId;
}

/** Whoever waits for an answer needs its message; an answer without one is a failure of the step. */
export function answered(exchange: Exchange): Message {
  if (exchange.message === undefined)
    throw new Error(`no message as the answer (${exchange.kind}): ${exchange.text}`);
  return exchange.message;
}

/** Waits until the bot has logged in and registered its commands, and this member is shown `name`. */
export async function commandIsThere(
  stage: Stage,
  member: Member,
  channel: Channel,
  name: string,
): Promise<void> {
  const person = stage.discord.as(member);
  await stage.discord.until(() => person.commands(channel).some((command) => command.name === name));
}

/** What a watcher may look at on the way; messages are live, so they are shown when they are handed over. */
export interface LinkWatcher {
  form?(form: Modal): void;
  question?(message: Message): void;
}

/** `/setup link`, the form, "Is this yours?", Yes. Answers the message that says what came of it. */
export async function linkServer(
  stage: Stage,
  watcher: LinkWatcher = {},
  key: string = stage.serverKey,
): Promise<Message> {
  const { owner, staffRole, channels } = stage.cast;
  const person = stage.discord.as(owner);
  const opened = await person.slash(channels.staff, "setup link");
  if (opened.modal === undefined) throw new Error(`/setup link opened no form: ${opened.text}`);
  const form = opened.modal;
  watcher.form?.(form);
  const values = { [fieldOf(form, "text")]: key, [fieldOf(form, "role")]: [staffRole] };
  const asked = await (await person.submit(form, values)).settled();
  const question = answered(asked);
  watcher.question?.(question);
  const buttons = question.components.flatMap((row) => row.components ?? []);
  const yes = buttons.find((one) => /^yes/i.test(one.label ?? ""))?.custom_id;
  if (yes === undefined) throw new Error(`nothing to press yes on: ${asked.text}`);
  const before = asked.text;
  const done = await person.click(question, yes);
  return answered(await done.settled((exchange) => !exchange.pending && exchange.text !== before));
}

/** `/staff allow`: the owner's role may run everything. */
export async function allowOwner(stage: Stage): Promise<Message> {
  const { owner, ownerRole, channels } = stage.cast;
  const options = { role: ownerRole, tier: "manager" };
  const exchange = await stage.discord.as(owner).slash(channels.staff, "staff allow", options);
  return answered(await exchange.settled());
}

/** `/feed add` of one kind into one channel. */
export async function addFeed(stage: Stage, kind: string, channel: Channel): Promise<Message> {
  const { owner, channels } = stage.cast;
  const exchange = await stage.discord.as(owner).slash(channels.staff, "feed add", { kind, channel });
  return answered(await exchange.settled());
}

/** `/alert add` of one kind into one channel; it pings the staff. */
export async function addAlert(stage: Stage, kind: string, channel: Channel): Promise<Message> {
  const { owner, staffRole, channels } = stage.cast;
  const options = { kind, channel, ping: staffRole };
  const exchange = await stage.discord.as(owner).slash(channels.staff, "alert add", options);
  return answered(await exchange.settled());
}

/** What an owner does to keep duty: a kind of shift, and whose accounts the staff have. */
export async function keepDuty(
  stage: Stage,
  {
    channel,
    staff,
  }: { readonly channel: Channel; readonly staff: readonly (readonly [Member, { readonly name: string }])[] },
): Promise<void> {
  const { owner, channels } = stage.cast;
  const olivia = stage.discord.as(owner);
  const asks = async (line: string, options: Readonly<Record<string, Value>>) =>
    answered(await (await olivia.slash(channels.staff, line, options)).settled());
  await asks("duty type add", { name: "Patrol", starts: "declared", channel });
  for (const [member, { name }] of staff) await asks("me link", { player: name, member });
}
