import { useCallback, useMemo, useRef } from 'react';
import type { Conversation } from '../../../../client/index.ts';
import { mintId } from '../../../../client/protocol/mint-id.ts';
import type { Draft } from '../composer/drafts.ts';
import { setUpload } from '../state/uploads.ts';

export type MessageKind = 'prompt' | 'followup' | 'steer';

/** Sends messages, and keeps refused ones, which can be edited. */
export function useSending(conversation: Conversation) {
  const refused = useRef(new Map<string, Draft>());
  const send = useCallback(
    (kind: MessageKind, draft: Draft) => {
      const messageId = mintId('msg');
      submit(conversation, kind, { draft, messageId })
        .catch(() => refused.current.set(messageId, draft))
        .finally(() => setUpload(messageId, undefined));
    },
    [conversation],
  );
  /** Removes a refused message. Returns what it said. */
  const withdraw = useCallback(
    (messageId: string): Draft | undefined => {
      const draft = refused.current.get(messageId);
      refused.current.delete(messageId);
      conversation.discard(messageId);
      return draft;
    },
    [conversation],
  );
  return useMemo(() => ({ send, withdraw }), [send, withdraw]);
}

async function submit(
  conversation: Conversation,
  kind: MessageKind,
  { draft, messageId }: { draft: Draft; messageId: string },
): Promise<void> {
  const options = {
    messageId,
    attachments: draft.files,
    onUpload: (upload: Parameters<typeof setUpload>[1]) => setUpload(messageId, upload),
  };
  if (kind === 'prompt') await conversation.send(draft.text, options);
  else if (kind === 'followup') await conversation.followup(draft.text, options);
  else await conversation.steer(draft.text, options);
}
