import { toPlainText } from './call-text.ts';
import { toChannels } from './channel-text.ts';
import { toObjects } from './object-text.ts';
import type { PastReply } from './past-reply.ts';

/** How the model writes its replies: the protocols of `runtime/channels`. */
export const replyForms = ['channels', 'native-tools', 'json', 'plain'] as const;
export type ReplyForm = (typeof replyForms)[number];

/** The text of an earlier reply, without the calls of `native-tools`, which are parts of their own. */
export function writeReply(reply: PastReply, protocol: ReplyForm = 'channels'): string {
  switch (protocol) {
    case 'channels':
      return toChannels(reply);
    case 'native-tools':
      return toPlainText(reply);
    case 'json':
    case 'plain':
      return toObjects(reply);
  }
}
