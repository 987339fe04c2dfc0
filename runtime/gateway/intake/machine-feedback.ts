import { z } from 'zod';
import { messageId } from '../../client/protocol/request-schemas.ts';
import type { FeedbackToGive } from '../../sdk/compile/host/bundle-host.ts';
import { reactions } from '../../timeline/feedback.ts';
import { toTurnId } from '../../timeline/ids.ts';
import type { ConversationRow } from '../../timeline/ports/store.ts';
import { parseInput } from '../input/parse-input.ts';
import { acceptFeedback, feedbackText } from './accept-feedback.ts';

const machineFeedback = z.object({
  conversation: z.string().max(200),
  turn: z.string().max(200),
  reaction: z.enum(reactions).nullable(),
  text: feedbackText.default(''),
  confidence: z.number().min(0).max(1).default(1),
  name: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must have 1 to 64 letters, digits, _ and -')
    .default('check'),
  messageId: messageId.optional(),
});

/** Feedback of a bundle, which stands beside that of the user. Refusals `invalid_input`, `not_found`, `conflict`. */
export async function acceptMachineFeedback(
  row: ConversationRow,
  given: FeedbackToGive,
  { bundle, ...parts }: Parameters<typeof acceptFeedback>[2] & { readonly bundle: string },
): Promise<void> {
  const {
    name,
    turn,
    messageId: id = parts.ids.next('msg'),
    ...said
  } = parseInput(machineFeedback, given);
  const key = `machine-${bundle}-${name}`;
  const entry = { ...said, turn: toTurnId(turn), origin: 'machine', messageId: id, key } as const;
  await acceptFeedback(row, entry, parts);
}
