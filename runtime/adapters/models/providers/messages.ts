import {
  type CallPart,
  type CarryPart,
  type ModelRequest,
  messagesOf,
  type PromptMessage,
  type PromptPart,
  type ResultPart,
} from '../../../engine/ports/model.ts';

export type MessagePart = PromptPart | CallPart | ResultPart | CarryPart;

/**
 * The messages of a prompt with alternating roles, and without empty texts, which providers reject. Parts stay as they
 * are. Always at least one message.
 */
export function alternating(
  request: Pick<ModelRequest, 'parts' | 'messages'>,
): readonly PromptMessage[] {
  const merged: PromptMessage[] = [];
  for (const message of messagesOf(request)) {
    const next = withoutEmpty(message);
    const last = merged.at(-1);
    if (next.parts.length === 0) continue;
    const both = last && joined(last, next);
    if (both) merged[merged.length - 1] = both;
    else merged.push(next);
  }
  return merged.length > 0 ? merged : [{ role: 'user', parts: [] }];
}

function joined(one: PromptMessage, two: PromptMessage): PromptMessage | undefined {
  if (one.role === 'user' && two.role === 'user')
    return { role: 'user', parts: [...one.parts, ...two.parts] };
  if (one.role === 'assistant' && two.role === 'assistant')
    return { role: 'assistant', parts: [...one.parts, ...two.parts] };
  return undefined;
}

function withoutEmpty(message: PromptMessage): PromptMessage {
  return message.role === 'user'
    ? { role: 'user', parts: message.parts.filter(hasContent) }
    : { role: 'assistant', parts: message.parts.filter(hasContent) };
}

function hasContent(part: MessagePart): boolean {
  return part.kind !== 'text' || part.text.trim() !== '';
}
