/** Discord's permission bits and the rule by which roles and overwrites combine. */

export const permissionBits = {
  KickMembers: 1n << 1n,
  BanMembers: 1n << 2n,
  Administrator: 1n << 3n,
  ManageChannels: 1n << 4n,
  ManageGuild: 1n << 5n,
  AddReactions: 1n << 6n,
  ViewAuditLog: 1n << 7n,
  ViewChannel: 1n << 10n,
  SendMessages: 1n << 11n,
  ManageMessages: 1n << 13n,
  EmbedLinks: 1n << 14n,
  AttachFiles: 1n << 15n,
  ReadMessageHistory: 1n << 16n,
  MentionEveryone: 1n << 17n,
  UseExternalEmojis: 1n << 18n,
  ManageRoles: 1n << 28n,
  UseApplicationCommands: 1n << 31n,
  ManageThreads: 1n << 34n,
  CreatePublicThreads: 1n << 35n,
  CreatePrivateThreads: 1n << 36n,
  SendMessagesInThreads: 1n << 38n,
  ModerateMembers: 1n << 40n,
} as const;

export type Permission = keyof typeof permissionBits;

export const allPermissions: bigint = (1n << 53n) - 1n;

/** The set of bits that these names stand for. */
export function bitsOf(names: readonly Permission[]): bigint {
  return names.reduce((bits, name) => bits | permissionBits[name], 0n);
}

/** What the invite of a bot like ours asks for. */
export const invitePermissions: readonly Permission[] = [
  "ViewChannel",
  "SendMessages",
  "SendMessagesInThreads",
  "EmbedLinks",
  "AttachFiles",
  "ReadMessageHistory",
];

/** What a new community's @everyone may do. */
export const everyonePermissions: readonly Permission[] = [
  "ViewChannel",
  "SendMessages",
  "SendMessagesInThreads",
  "EmbedLinks",
  "AttachFiles",
  "ReadMessageHistory",
  "AddReactions",
  "UseApplicationCommands",
  "CreatePublicThreads",
];

export interface PermissionOverwrite {
  /** Id of a role or a user. */
  readonly id: string;
  readonly kind: "role" | "member";
  readonly allow: bigint;
  readonly deny: bigint;
}

interface Holder {
  readonly userId: string;
  readonly isOwner: boolean;
  /** Without @everyone. */
  readonly roles: readonly { readonly id: string; readonly permissions: bigint }[];
  readonly everyone: { readonly id: string; readonly permissions: bigint };
}

/** Permissions in the guild as a whole: owner and Administrator have all of them. */
export function guildPermissions(holder: Holder): bigint {
  if (holder.isOwner) return allPermissions;
  const bits = holder.roles.reduce((sum, role) => sum | role.permissions, holder.everyone.permissions);
  return (bits & permissionBits.Administrator) === 0n ? bits : allPermissions;
}

/**
 * Permissions in one channel. Order of Discord's documentation: @everyone's overwrite, then those of all
 * roles together (deny before allow), then the member's own.
 */
export function channelPermissions(holder: Holder, overwrites: readonly PermissionOverwrite[]): bigint {
  const base = guildPermissions(holder);
  if (base === allPermissions) return base;
  const everyone = overwrites.find((one) => one.id === holder.everyone.id);
  let bits = apply(base, everyone?.deny ?? 0n, everyone?.allow ?? 0n);
  const roleIds = new Set(holder.roles.map((role) => role.id));
  const ofRoles = overwrites.filter((one) => one.kind === "role" && roleIds.has(one.id));
  bits = apply(bits, union(ofRoles.map((one) => one.deny)), union(ofRoles.map((one) => one.allow)));
  const own = overwrites.find((one) => one.kind === "member" && one.id === holder.userId);
  bits = apply(bits, own?.deny ?? 0n, own?.allow ?? 0n);
  // Who cannot see a channel can do nothing in it.
  return (bits & permissionBits.ViewChannel) === 0n ? 0n : bits;
}

function apply(bits: bigint, deny: bigint, allow: bigint): bigint {
  return (bits & ~deny) | allow;
}

function union(sets: readonly bigint[]): bigint {
  return sets.reduce((sum, bits) => sum | bits, 0n);
}
