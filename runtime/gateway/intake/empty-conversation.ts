import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Ids } from '../../base/ids.ts';
import { userName } from '../../client/protocol/request-schemas.ts';
import { toTurnId } from '../../timeline/ids.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';

import { bundleKeyCharsMax, titleCharsMax } from './limits.ts';

export const openRequest = z.strictObject({
  user: userName,
  key: z.string().min(1).max(bundleKeyCharsMax).optional(),
  title: z.string().trim().min(1).max(titleCharsMax).optional(),
});

/** Derived from the key, the bundle and the user, so the same key always gives the same id. */
export function conversationIdOf(
  { tenant, project, user }: ProjectScope & { readonly user: string },
  { bundle, key }: { bundle: string; key: string },
): string {
  const whole = JSON.stringify([tenant, project, user, bundle, key]);
  return `conv_${createHash('sha256').update(whole).digest('hex').slice(0, 20)}`;
}

/** A request that creates a conversation with this id, once, without events. */
export function emptyConversation(
  sender: ProjectScope & { readonly user: string },
  name: string,
  ids: Ids,
) {
  return {
    ...{ sender, conversation: name, newConversation: name, message: `open_${name}` },
    ...{
      digest: 'open',
      events: [],
      reactive: false,
      newTurn: toTurnId(ids.next('turn')),
      turnData: {},
    },
  };
}
