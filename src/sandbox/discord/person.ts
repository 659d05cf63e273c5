import { isText } from "./channel.ts";
import { commandData, type Options, type Resolved, visibleCommands } from "./command-line.ts";
import type { FaultPlan } from "./faults.ts";
import type { Gateway } from "./gateway.ts";
import { InteractionKind, type InteractionState, type Interactions } from "./interactions.ts";
import { MessageState } from "./message.ts";
import { type ModalValues, modalData, selectValues } from "./modal-values.ts";
import { interactionPayload } from "./payload.ts";
import { countPings } from "./pings.ts";
import type { ActOptions, Channel, Exchange, Member, Message, Modal, Person, Value } from "./types.ts";
import type { Choice, Command, Component } from "./wire.ts";
import type { World } from "./world.ts";

/** A busy machine takes its time; an answer that comes ends the wait at once. */
const defaultWaitMs = 30_000;

interface Parts {
  readonly world: World;
  readonly interactions: Interactions;
  readonly gateway: Gateway;
  readonly faults: Pick<FaultPlan, "use">;
}

/** One member at Discord's client. */
export class PersonState implements Person {
  readonly member: Member;
  readonly #parts: Parts;

  constructor(parts: Parts, member: Member) {
    this.#parts = parts;
    this.member = member;
  }

  commands(channel: Channel): readonly Command[] {
    return visibleCommands(this.#parts.world, this.member, channel);
  }

  async slash(
    channel: Channel,
    line: string,
    options: Options = {},
    act: ActOptions = {},
  ): Promise<Exchange> {
    const data = commandData(this.#parts.world, this.member, channel, line, options);
    // What Discord shows, and gives as the interaction's name, has the sub-commands in it.
    const commandName = line.trim().replace(/^\//, "").replace(/\s+/g, " ");
    const interaction = this.#open(InteractionKind.command, channel, { commandName });
    return this.#send(interaction, data, act);
  }

  async autocomplete(
    channel: Channel,
    line: string,
    options: Options,
    focused: string,
    act: ActOptions = {},
  ): Promise<readonly Choice[]> {
    const data = commandData(this.#parts.world, this.member, channel, line, options, focused);
    const interaction = this.#open(InteractionKind.autocomplete, channel, { commandName: data.name });
    const exchange = await this.#send(interaction, data, act);
    return exchange.choices;
  }

  async click(message: Message, customIdOrLabel: string, act: ActOptions = {}): Promise<Exchange> {
    const source = this.#visible(message);
    const buttons = source.components.flatMap((row) => row.components ?? []).filter((one) => one.type === 2);
    const button =
      buttons.find((one) => one.custom_id === customIdOrLabel) ??
      buttons.find((one) => one.label === customIdOrLabel);
    const customId = usable(button, customIdOrLabel);
    const interaction = this.#open(InteractionKind.component, source.channel, { source });
    return this.#send(interaction, { component_type: 2, id: button?.id, custom_id: customId }, act);
  }

  async select(
    message: Message,
    customId: string,
    values: readonly Value[],
    act: ActOptions = {},
  ): Promise<Exchange> {
    const source = this.#visible(message);
    const selects = source.components.flatMap((row) => row.components ?? []).filter((one) => one.type !== 2);
    const component = selects.find((one) => one.custom_id === customId);
    const id = usable(component, customId);
    if (component === undefined) throw new Error(`there is no select ${customId}`);
    const resolved: Resolved = { users: {}, members: {}, roles: {}, channels: {} };
    const chosen = selectValues(
      this.#parts.world,
      source.channel,
      resolved,
      component,
      values,
      true,
      customId,
    );
    const data = {
      component_type: component.type,
      id: component.id,
      custom_id: id,
      values: chosen,
      resolved,
    };
    return this.#send(this.#open(InteractionKind.component, source.channel, { source }), data, act);
  }

  async submit(modal: Modal, values: ModalValues, act: ActOptions = {}): Promise<Exchange> {
    const origin = this.#parts.interactions.originOf(modal);
    if (origin === undefined) throw new Error("this modal was not opened here");
    if (origin.person !== this.member) throw new Error("this modal was opened for someone else");
    const data = modalData(this.#parts.world, origin.channel, modal, values);
    const source = origin.source?.deleted === true ? undefined : origin.source;
    return this.#send(this.#open(InteractionKind.modal, origin.channel, { source }), data, act);
  }

  post(channel: Channel, text: string): Message {
    if (!isText(channel)) throw new Error(`#${channel.name} takes no messages`);
    if (channel.guild !== undefined && !this.member.may("SendMessages", channel))
      throw new Error(`${this.member.displayName} may not write in #${channel.name}`);
    const { world } = this.#parts;
    const mayMentionAll = channel.guild !== undefined && this.member.may("MentionEveryone", channel);
    const pings = countPings(text, undefined, {
      channel,
      mayMentionAll,
      isUser: (id) => world.users.has(id),
    });
    return world.messages.create({ channel, author: this.member.user, content: text.trim(), pings });
  }

  publish(message: Message): void {
    const { channel } = message;
    if (channel.type !== "announcement") throw new Error(`nothing of #${channel.name} can be published`);
    if (!this.member.may("ManageMessages", channel))
      throw new Error(`${this.member.displayName} may not publish in #${channel.name}`);
    this.#visible(message).publish();
  }

  sees(channel: Channel): readonly Message[] {
    if (channel.guild !== undefined && !this.member.may("ViewChannel", channel)) return [];
    return this.#parts.world.messages.inChannel(channel.id).filter((message) => this.#maySee(message));
  }

  dms(): readonly Message[] {
    const dm = this.member.dm;
    return dm === undefined ? [] : this.#parts.world.messages.inChannel(dm.id);
  }

  #maySee(message: Message): boolean {
    return message.ephemeralFor === undefined || message.ephemeralFor === this.member.id;
  }

  #visible(message: Message): MessageState {
    const { channel } = message;
    const hidden = channel.guild !== undefined && !this.member.may("ViewChannel", channel);
    if (!(message instanceof MessageState) || message.deleted || hidden || !this.#maySee(message))
      throw new Error(`${this.member.displayName} does not see that message`);
    return message;
  }

  #open(
    type: InteractionState["type"],
    channel: Channel,
    more: { commandName?: string; source?: MessageState | undefined },
  ): InteractionState {
    return this.#parts.interactions.open({ type, person: this.member, channel, ...more });
  }

  /** Sends the interaction and waits for its first answer, or until it is clear that none will come. */
  async #send(interaction: InteractionState, data: unknown, act: ActOptions): Promise<Exchange> {
    const { world, gateway, interactions } = this.#parts;
    const guildId = this.member.guild.id;
    world.emit({ type: "interaction-sent", exchange: interaction });
    if (!gateway.reaches(guildId)) {
      interaction.fail();
      return interaction;
    }
    const payload = interactionPayload(world, interaction, data);
    gateway.dispatch(guildId, "INTERACTION_CREATE", payload);
    if (this.#parts.faults.use("tellTwice")) gateway.dispatch(guildId, "INTERACTION_CREATE", payload);
    const waited = world.events.untilOf(interaction, () => interaction.over, act.waitMs ?? defaultWaitMs);
    interactions.awaited += 1;
    await waited.catch(() => interaction.fail());
    interactions.awaited -= 1;
    return interaction;
  }
}

function usable(component: Component | undefined, name: string): string {
  if (component === undefined) throw new Error(`the message has no button or select "${name}"`);
  if (component.disabled === true) throw new Error(`"${name}" is disabled`);
  if (component.custom_id === undefined) throw new Error(`"${name}" is a link: it sends nothing`);
  return component.custom_id;
}
