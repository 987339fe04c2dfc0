import { useEffect, useState } from 'react';
import { conversationExists } from '../server/conversation-exists.ts';
import type { OpenConversation } from './use-open-conversation.ts';

export type Existence = 'checking' | 'exists' | 'missing';

type Follow = { changed(): void; failed(error: unknown): void };

/** Whether the opened conversation exists, and its events that are about more than its turns. */
export function useExistence(
  { conversation, id, isNew }: Pick<OpenConversation, 'conversation' | 'id' | 'isNew'>,
  { changed, failed }: Follow,
): Existence {
  const [known, setKnown] = useState<{ id?: string; existence: Existence }>({
    existence: 'exists',
  });
  useEffect(() => {
    if (id === undefined || isNew) return undefined;
    const closing = new AbortController();
    conversationExists(id, closing.signal).then(
      (isThere) => setKnown({ id, existence: isThere ? 'exists' : 'missing' }),
      // The server was unreachable, or another conversation is open by now. A lost connection has its own notice.
      () => undefined,
    );
    return () => closing.abort();
  }, [id, isNew]);
  useEffect(() => {
    const closing = new AbortController();
    const follow = async () => {
      for await (const event of conversation.events({ signal: closing.signal })) {
        if (event.type !== 'conv.status') continue;
        changed();
        if (event.data.state === 'deleted') setKnown({ id: conversation.id, existence: 'missing' });
      }
    };
    follow().catch((error: unknown) => {
      if (!closing.signal.aborted) failed(error);
    });
    return () => closing.abort();
  }, [conversation, changed, failed]);
  if (known.id !== undefined && known.id === id) return known.existence;
  return isNew ? 'exists' : 'checking';
}
