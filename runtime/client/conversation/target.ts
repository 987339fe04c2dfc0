import type { Json } from '../../base/json.ts';
import type { SendOptions } from '../api/types.ts';
import type { OwnMessage } from '../events/state-tracker.ts';
import { mintId } from '../protocol/mint-id.ts';

/** A conversation, and where to begin in it. */
export type ConversationTarget = {
  readonly id: string;
  /** The conversation may not exist yet: the first message creates it. */
  readonly isNew: boolean;
  readonly bundle?: string | undefined;
  readonly agent?: string | undefined;
  readonly after?: string | undefined;
  readonly tail?: number;
  /** The server will create the conversation, and may not have done so yet. */
  readonly isExpected?: () => boolean;
};
export type StartAt = { readonly after: string } | { readonly tail: number };
export type MessageOptions = SendOptions & { readonly turn?: string; readonly payload?: Json };

export function messageIdOf({ messageId }: MessageOptions): string {
  return messageId ?? mintId('msg');
}

/** Undefined if the subscription begins at a cursor or at the beginning. */
export function startOf({ isNew, after, tail }: ConversationTarget): StartAt | undefined {
  if (after === 'now' && !isNew) return { after };
  return isNew || after !== undefined || tail === undefined ? undefined : { tail };
}

export type MessageOrder = {
  readonly kind: string;
  readonly text: string | undefined;
  readonly message: string;
  readonly saying: MessageOptions;
};
type Order = MessageOrder & {
  readonly attachments: readonly object[];
  readonly bundle: string | undefined;
  readonly agent: string | undefined;
};

/** A `chat_message` as the wire spells it, without its conversation. */
export function toMessageBody({ kind, text, message, saying, ...order }: Order) {
  const { attachments, bundle, agent } = order;
  const turn = kind === 'steer' ? 'expected_turn_id' : 'target_turn_id';
  return {
    message_id: message,
    kind,
    ...(text !== undefined && { text }),
    ...(saying.payload !== undefined && { payload: saying.payload }),
    ...(attachments.length > 0 && { attachments }),
    ...(saying.options !== undefined && { options: toWireOptions(saying.options) }),
    ...(bundle !== undefined && { bundle_id: bundle }),
    ...(agent !== undefined && { agent_id: agent }),
    ...(saying.turn !== undefined && { [turn]: saying.turn }),
  };
}

function toWireOptions({ maxRounds, exec, model }: NonNullable<MessageOptions['options']>) {
  return {
    ...(maxRounds !== undefined && { max_rounds: maxRounds }),
    ...(exec !== undefined && { exec }),
    ...(model !== undefined && { model }),
  };
}

/** What the state shows of a message on its way; undefined for answers and events of a bundle. */
export function toOwnMessage({
  kind,
  text = '',
  message,
  saying: { attachments = [] },
}: MessageOrder): OwnMessage | undefined {
  if (!['prompt', 'followup', 'steer'].includes(kind)) return undefined;
  return { message, event: kind, text, files: attachments.map(({ name }) => ({ filename: name })) };
}
