import { Problems, refuse } from "../errors.ts";
import { isRecord } from "../form.ts";
import { type CommandForm, readCommand, readCommands } from "../validate-commands.ts";
import type { Command } from "../wire.ts";
import type { World } from "../world.ts";
import { guildOf } from "./access.ts";
import { type Answer, type Api, type ApiRequest, done, ok, param, type Route, route } from "./route.ts";

const maxCommands = 100;
const globally = "/applications/:id/commands";
const inGuild = "/applications/:id/guilds/:id/commands";

/** Registering slash commands, globally and for one guild. */
export const commandRoutes: readonly Route[] = [
  ...[globally, inGuild].flatMap((pattern) => [
    route("GET", pattern, list),
    route("PUT", pattern, overwrite),
    route("POST", pattern, upsert),
    route("GET", `${pattern}/:id`, (api, request) => ok(find(api, request).command)),
    route("PATCH", `${pattern}/:id`, change),
    route("DELETE", `${pattern}/:id`, remove),
  ]),
];

interface Scope {
  readonly guildId: string | undefined;
  readonly commands: readonly Command[];
}

/** Which list a path names: parameters are the application, perhaps a guild, perhaps a command. */
function scopeOf(api: Api, request: ApiRequest, withCommand: boolean): Scope {
  if (param(request, 0) !== api.world.bot.id) throw refuse("unknownApplication");
  const hasGuild = request.params.length === (withCommand ? 3 : 2);
  const guildId = hasGuild ? guildOf(api.world, param(request, 1)).id : undefined;
  return { guildId, commands: api.world.commands.get(guildId ?? "") ?? [] };
}

function list(api: Api, request: ApiRequest): Answer {
  return ok(scopeOf(api, request, false).commands);
}

function find(api: Api, request: ApiRequest): Scope & { readonly command: Command } {
  const scope = scopeOf(api, request, true);
  const command = scope.commands.find((one) => one.id === request.params.at(-1));
  if (command === undefined) throw refuse("unknownCommand");
  return { ...scope, command };
}

/** Commands that keep their name keep their id. */
function overwrite(api: Api, request: ApiRequest): Answer {
  const scope = scopeOf(api, request, false);
  const forms = readCommands(request.body);
  if (forms.length > maxCommands) throw refuse("tooManyCommands");
  const commands = forms.map((form) => registered(api.world, scope, form));
  save(api.world, scope.guildId, commands);
  return ok(commands);
}

function upsert(api: Api, request: ApiRequest): Answer {
  const scope = scopeOf(api, request, false);
  const problems = new Problems();
  const form = readCommand(problems, request.body, []);
  problems.throwIfAny();
  const command = registered(api.world, scope, form);
  const others = scope.commands.filter((one) => one.id !== command.id);
  if (others.length >= maxCommands) throw refuse("tooManyCommands");
  save(api.world, scope.guildId, [...others, command]);
  return { status: others.length === scope.commands.length ? 201 : 200, body: command };
}

function change(api: Api, request: ApiRequest): Answer {
  const scope = find(api, request);
  const problems = new Problems();
  const form = readCommand(
    problems,
    { ...scope.command, ...(isRecord(request.body) ? request.body : {}) },
    [],
  );
  problems.throwIfAny();
  const command = { ...registered(api.world, scope, form), id: scope.command.id };
  save(
    api.world,
    scope.guildId,
    scope.commands.map((one) => (one.id === command.id ? command : one)),
  );
  return ok(command);
}

function remove(api: Api, request: ApiRequest): Answer {
  const scope = find(api, request);
  save(
    api.world,
    scope.guildId,
    scope.commands.filter((one) => one !== scope.command),
  );
  return done;
}

function registered(world: World, scope: Scope, form: CommandForm): Command {
  const earlier = scope.commands.find((one) => one.name === form.name && one.type === form.type);
  return {
    id: earlier?.id ?? world.mint(),
    application_id: world.bot.id,
    version: world.mint(),
    ...form,
    ...(scope.guildId === undefined ? {} : { guild_id: scope.guildId }),
  };
}

function save(world: World, guildId: string | undefined, commands: readonly Command[]): void {
  world.commands.set(guildId ?? "", commands);
  world.emit({ type: "commands-registered", guildId, commands });
}
