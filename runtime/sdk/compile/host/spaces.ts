import type { Ids } from '../../define/context.ts';

/** A user of the installation, in one project. */
type User = { readonly tenant: string; readonly project: string; readonly user: string };

/** Spaces of one user in one bundle, by their first part. The index `stored_value_user` names the same. */
export const bundleUserKinds = ['user', 'secret', 'user-props'] as const;

/** The space of a bundle's user storage, of the secrets that a user sets for it, or of the props. */
export function bundleUserSpace(
  kind: (typeof bundleUserKinds)[number],
  { tenant, project, bundle, user }: User & { readonly bundle: string },
): string {
  return toSpace([kind, tenant, project, bundle, user]);
}

export type SpaceKind = 'bundle' | 'user' | 'conversation';

/** The space of a bundle, or of one of its users or conversations. */
export function storageSpace(ids: Ids, kind: SpaceKind): string {
  const { tenant, project, bundle, user = '', conversation = '' } = ids;
  // Conversation ids are unique per user.
  const owner = { bundle: [''], user: [user], conversation: [conversation, user] }[kind];
  return toSpace([kind, tenant, project, bundle, ...owner]);
}

/** Bundles do not use spaces of this form. */
export function uploadsSpace({ tenant, project, user }: User): string {
  return toSpace(['uploads', tenant, project, user]);
}

export function mcpSessionsSpace({ tenant, project, user }: User): string {
  return JSON.stringify(['mcp', tenant, project, user]);
}

/** The spaces of a user outside bundles that go with the user. */
export function userSpaces(user: User): readonly string[] {
  return [uploadsSpace(user), mcpSessionsSpace(user)];
}

/** Whether everything in the space belongs to this user and goes with the user. */
export function isSpaceOf(user: User, space: string): boolean {
  if (userSpaces(user).includes(space)) return true;
  const [kind, tenant, project, , owner] = space.split('/');
  const parts = [user.tenant, user.project, user.user].map(encodeURIComponent);
  return (
    bundleUserKinds.some((each) => each === kind) &&
    [tenant, project, owner].every((part, index) => part === parts[index])
  );
}

function toSpace(parts: readonly string[]): string {
  return parts.map(encodeURIComponent).join('/');
}
