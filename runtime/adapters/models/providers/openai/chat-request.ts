import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
  ChatCompletionToolChoiceOption,
} from 'openai/resources/chat/completions';
import type {
  CallPart,
  CarryPart,
  ModelOffer,
  ModelRequest,
  PromptMessage,
  PromptPart,
  ResultPart,
} from '../../../../engine/ports/model.ts';
import { alternating } from '../messages.ts';

/** `openai-compatible`: another server with the same API, in its older form. */
export type Flavour = 'openai' | 'openai-compatible';

/** The provider caches prefixes on its own, so cache marks are not sent. */
export function toChatBody(
  { model, flavour }: { readonly model: string; readonly flavour: Flavour },
  request: ModelRequest,
): ChatCompletionCreateParamsStreaming {
  const { system, maxOutputTokens, temperature, offer, format } = request;
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
      ...alternating(request).flatMap((message) => toMessages(message, flavour)),
    ],
    // The provider's own models choose their sampling and reject a temperature; others need it, and the older parameter name.
    ...(flavour === 'openai'
      ? { max_completion_tokens: maxOutputTokens }
      : { max_tokens: maxOutputTokens, temperature }),
    ...toolsOf(offer),
    ...(format === 'json' ? { response_format: { type: 'json_object' as const } } : {}),
  };
}

function toMessages(
  message: PromptMessage,
  flavour: Flavour,
): readonly ChatCompletionMessageParam[] {
  return message.role === 'assistant'
    ? [toReply(message.parts)]
    : toUserMessages(message.parts, flavour);
}

/** Results are messages of their own, directly after the reply with their calls. */
function toUserMessages(
  parts: readonly (PromptPart | ResultPart)[],
  flavour: Flavour,
): readonly ChatCompletionMessageParam[] {
  const results = parts.filter((part) => part.kind === 'result');
  const content = parts.flatMap((part) => (part.kind === 'result' ? [] : [toPart(part, flavour)]));
  return [
    ...results.map(({ call, text }) => ({
      role: 'tool' as const,
      tool_call_id: call,
      content: text,
    })),
    ...(content.length > 0 || results.length === 0 ? [{ role: 'user' as const, content }] : []),
  ];
}

/** The API has no part for signed reasoning. */
function toReply(
  parts: readonly (PromptPart | CallPart | CarryPart)[],
): ChatCompletionAssistantMessageParam {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const calls = parts.flatMap((part) => (part.kind === 'call' ? [toCall(part)] : []));
  return {
    role: 'assistant',
    content: texts.length > 0 ? texts.join('\n') : null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

function toCall({ call, name, input }: CallPart): ChatCompletionMessageFunctionToolCall {
  return { id: call, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

function toPart(
  { kind, text, mime = '' }: PromptPart,
  flavour: Flavour,
): ChatCompletionContentPart {
  switch (kind) {
    case 'text':
      return { type: 'text', text };
    case 'image':
      return { type: 'image_url', image_url: { url: `data:${mime};base64,${text}` } };
    case 'document':
      // Most other servers reject the whole request, and the document would be in every later request, too.
      if (flavour !== 'openai') return { type: 'text', text: `(${mime}: not sent to this model)` };
      return {
        type: 'file',
        file: { filename: 'document.pdf', file_data: `data:${mime};base64,${text}` },
      };
  }
}

type Tools = {
  tools?: ChatCompletionFunctionTool[];
  tool_choice?: ChatCompletionToolChoiceOption;
};

/** An empty list of tools is an error for the provider. */
function toolsOf(offer: ModelOffer | undefined): Tools {
  if (!offer || offer.tools.length === 0) return {};
  const tools = offer.tools.map(
    ({ name, description, schema }): ChatCompletionFunctionTool => ({
      type: 'function',
      function: { name, description, parameters: schema },
    }),
  );
  return { tools, tool_choice: toChoice(offer.choice) };
}

function toChoice(choice: ModelOffer['choice']): ChatCompletionToolChoiceOption {
  return typeof choice === 'string'
    ? choice
    : { type: 'function', function: { name: choice.tool } };
}
