import type {
  MessageCreateParamsStreaming,
  MessageParam,
} from '@anthropic-ai/sdk/resources/messages';

/**
 * The request without thinking where the provider would reject it, because an operator turned it on with a fixed budget:
 *
 * 1. A reply that goes on after results of tools must be preceded by the signed thinking of the reply that called them. It is
 *    missing if another model wrote that reply, or if the reply was interrupted.
 * 2. The budget must leave room for a reply.
 *
 * Thinking that the model chooses itself (`adaptive`) has no such rules.
 */
export function withLegalThinking(
  body: MessageCreateParamsStreaming,
): MessageCreateParamsStreaming {
  const { thinking, messages, max_tokens: most } = body;
  if (thinking?.type !== 'enabled') return body;
  const isLegal = thinking.budget_tokens < most && !lacksThinking(messages);
  return isLegal ? body : { ...body, thinking: { type: 'disabled' } };
}

function lacksThinking(messages: readonly MessageParam[]): boolean {
  const [replied, results] = messages.slice(-2);
  if (replied?.role !== 'assistant' || !startsWith(results, ['tool_result'])) return false;
  return !startsWith(replied, ['thinking', 'redacted_thinking']);
}

function startsWith(message: MessageParam | undefined, types: readonly string[]): boolean {
  const first = typeof message?.content === 'object' ? message.content[0] : undefined;
  return first !== undefined && types.includes(first.type);
}
