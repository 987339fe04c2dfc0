import type { Sender } from '../../timeline/ports/store.ts';

/** A user as one text, for keys and channels. */
export function ownerName({ tenant, project, user }: Sender): string {
  return JSON.stringify([tenant, project, user]);
}
