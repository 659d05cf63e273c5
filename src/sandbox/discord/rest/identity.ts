import { Problems, refuse } from "../errors.ts";
import { integer, isRecord } from "../form.ts";
import { channelJson, guildJson, memberJson, roleJson, selfJson, userJson } from "../serialize.ts";
import type { Member, Role, User } from "../types.ts";
import type { World } from "../world.ts";
import { guildOf } from "./access.ts";
import { type Answer, type Api, type ApiRequest, done, ok, param, type Route, route } from "./route.ts";

/** The bot itself, its application, users and the members and roles of guilds. */
export const identityRoutes: readonly Route[] = [
  route("GET", "/gateway", (api) => ok({ url: api.gatewayUrl() }), "token"),
  route("GET", "/gateway/bot", gatewayBot),
  route("GET", "/users/@me", (api) => ok(selfJson(api.world.bot))),
  route("GET", "/users/@me/guilds", ownGuilds),
  route("POST", "/users/@me/channels", openDm),
  route("GET", "/users/:id", (api, request) => ok(userJson(userOf(api.world, param(request, 0))))),
  route("GET", "/applications/@me", (api) => ok(applicationJson(api.world))),
  route("GET", "/oauth2/applications/@me", (api) => ok(applicationJson(api.world))),
  route("GET", "/guilds/:id", readGuild),
  route("GET", "/guilds/:id/roles", (api, request) =>
    ok(guildOf(api.world, param(request, 0)).roles.map(roleJson)),
  ),
  route("GET", "/guilds/:id/roles/:id", readRole),
  route("GET", "/guilds/:id/members", listMembers),
  route("GET", "/guilds/:id/members/:id", readMember),
  route("PUT", "/guilds/:id/members/:id/roles/:id", (api, request) => {
    const { member, role } = memberRole(api, request);
    member.addRole(role, member.guild.bot);
    return done;
  }),
  route("DELETE", "/guilds/:id/members/:id/roles/:id", (api, request) => {
    const { member, role } = memberRole(api, request);
    member.removeRole(role, member.guild.bot);
    return done;
  }),
];

function gatewayBot(api: Api): Answer {
  const { identifies, limits } = api.world;
  return ok({ url: api.gatewayUrl(), shards: limits.shards, session_start_limit: identifies.told });
}

function userOf(world: World, id: string): User {
  const user = world.users.get(id);
  if (user === undefined) throw refuse("unknownUser");
  return user;
}

function ownGuilds(api: Api): Answer {
  const guilds = [...api.world.guilds.values()].filter((guild) => guild.hasBot);
  return ok(
    guilds.map((guild) => ({
      id: guild.id,
      name: guild.name,
      icon: null,
      banner: null,
      owner: false,
      permissions: String(guild.bot.permissionsIn()),
      features: [],
    })),
  );
}

/** Opening succeeds even where a message will be refused, as on Discord. */
function openDm(api: Api, request: ApiRequest): Answer {
  const id = isRecord(request.body) ? String(request.body.recipient_id) : "";
  const channel = api.world.openDm(userOf(api.world, id));
  return ok(channelJson(channel, api.world.lastMessageId(channel), api.world.bot));
}

function applicationJson(world: World): unknown {
  const owner = [...world.guilds.values()][0]?.owner.user ?? world.bot;
  return {
    id: world.bot.id,
    name: world.bot.username,
    icon: null,
    description: "",
    type: null,
    bot: userJson(world.bot),
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: "0".repeat(64),
    flags: 0,
    flags_new: "0",
    redirect_uris: [],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    owner: userJson(owner),
    team: null,
    explicit_content_filter: 0,
    eligible_oauth2_scopes: [],
    approximate_guild_count: [...world.guilds.values()].filter((guild) => guild.hasBot).length,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
  };
}

function readGuild(api: Api, request: ApiRequest): Answer {
  const guild = guildOf(api.world, param(request, 0));
  if (request.query.get("with_counts") !== "true") return ok(guildJson(guild));
  const count = guild.members.length;
  return ok({ ...guildJson(guild), approximate_member_count: count, approximate_presence_count: count });
}

function readRole(api: Api, request: ApiRequest): Answer {
  const role = guildOf(api.world, param(request, 0)).roles.find((one) => one.id === param(request, 1));
  if (role === undefined) throw refuse("unknownRole");
  return ok(roleJson(role));
}

function readMember(api: Api, request: ApiRequest): Answer {
  const guild = guildOf(api.world, param(request, 0));
  const member = guild.members.find((one) => one.id === param(request, 1));
  if (member !== undefined) return ok(memberJson(member));
  throw refuse(api.world.users.has(param(request, 1)) ? "unknownMember" : "unknownUser");
}

/** A role that the bot may give and take: below its own, nobody's integration, and not @everyone. */
function memberRole(api: Api, request: ApiRequest): { readonly member: Member; readonly role: Role } {
  const guild = guildOf(api.world, param(request, 0));
  const [, userId, roleId] = [0, 1, 2].map((index) => param(request, index));
  const role = guild.roles.find((one) => one.id === roleId);
  const member = guild.members.find((one) => one.id === userId);
  if (member === undefined) throw refuse("unknownMember");
  if (role === undefined) throw refuse("unknownRole");
  if (role.id === guild.id) throw refuse("invalidRole");
  const highest = Math.max(...guild.bot.roles.map(({ position }) => position));
  if (!guild.bot.may("ManageRoles") || role.managedBy !== undefined || role.position >= highest)
    throw refuse("missingPermissions");
  return { member, role };
}

function listMembers(api: Api, request: ApiRequest): Answer {
  const guild = guildOf(api.world, param(request, 0));
  const problems = new Problems();
  const limit = integer(problems, request.query.get("limit"), ["limit"], { min: 1, max: 1000 }) ?? 1;
  problems.throwIfAny();
  const after = BigInt(request.query.get("after") ?? "0");
  const page = guild.members.filter((member) => BigInt(member.id) > after).slice(0, limit);
  return ok(page.map(memberJson));
}
