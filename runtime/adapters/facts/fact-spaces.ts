import type { Sender } from '../../timeline/ports/store.ts';
import type { MemoryOwner, MemoryScope } from '../../tools/ports/long-term-memory.ts';

/** The storage space of the facts that one user's conversations have left, in every scope. */
export function userSpace({ tenant, project, user }: Sender): string {
  return spaceOf('user', tenant, project, user);
}

/** Copies of the facts that users share. */
export function sharedSpace(scope: Exclude<MemoryScope, 'user'>, owner: MemoryOwner): string {
  const { tenant, project, agent } = owner;
  return scope === 'agent' ? spaceOf('agent', tenant, project, agent) : spaceOf('tenant', tenant);
}

/** What has been recorded and forgotten. */
export function recordingSpace({ tenant, project, user }: Sender): string {
  return spaceOf('recording', tenant, project, user);
}

function spaceOf(...parts: readonly string[]): string {
  return ['facts', ...parts].map(encodeURIComponent).join('/');
}
