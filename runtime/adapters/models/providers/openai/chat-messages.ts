import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { isJsonObject, type JsonObject } from '../../../../base/json.ts';
import type {
  CallPart,
  CarryPart,
  PromptMessage,
  PromptPart,
  ResultPart,
} from '../../../../engine/ports/model.ts';

/** `openai-compatible`: another server with the same API, in its older form. */
export type Flavour = 'openai' | 'openai-compatible';

export type MessageStyle = {
  readonly flavour: Flavour;
  /** `string`: texts are sent as one string, because the server takes no parts. */
  readonly content: 'parts' | 'string';
  /** Text of the user after the results of calls is part of the last result, because the server wants roles to alternate. */
  readonly textInResult?: boolean;
};

export function toChatMessages(
  message: PromptMessage,
  style: MessageStyle,
): readonly ChatCompletionMessageParam[] {
  return message.role === 'assistant'
    ? [toReply(message.parts, style)]
    : toUserMessages(message.parts, style);
}

/** Results are messages of their own, directly after the reply with their calls. */
function toUserMessages(
  parts: readonly (PromptPart | ResultPart)[],
  style: MessageStyle,
): readonly ChatCompletionMessageParam[] {
  const results = parts.filter((part) => part.kind === 'result');
  const others = parts.filter((part) => part.kind !== 'result');
  const last = results.at(-1);
  if (
    style.textInResult &&
    last &&
    others.length > 0 &&
    others.every(({ kind }) => kind === 'text')
  ) {
    const text = [last, ...others].map((part) => part.text).join('\n\n');
    return toUserMessages([...results.slice(0, -1), { ...last, text }], style);
  }
  const content = others.map((part) => toPart(part, style.flavour));
  return [
    ...results.map(({ call, text }) => ({
      role: 'tool' as const,
      tool_call_id: call,
      content: text,
    })),
    ...(content.length > 0 || results.length === 0
      ? [{ role: 'user' as const, content: toContent(content, style) }]
      : []),
  ];
}

function toContent(
  parts: ChatCompletionContentPart[],
  { content }: MessageStyle,
): string | ChatCompletionContentPart[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return content === 'string' && texts.length === parts.length ? texts.join('\n') : parts;
}

/** Only OpenRouter's reasoning has a place in this API. */
function toReply(
  parts: readonly (PromptPart | CallPart | CarryPart)[],
  { flavour }: MessageStyle,
): ChatCompletionAssistantMessageParam {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const calls = parts.flatMap((part) => (part.kind === 'call' ? [toCall(part)] : []));
  const carried = flavour === 'openai' ? [] : parts.flatMap(carriedBy);
  return {
    role: 'assistant',
    content: texts.length > 0 ? texts.join('\n') : null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...Object.assign({}, ...carried),
  };
}

function carriedBy(part: PromptPart | CallPart | CarryPart): readonly JsonObject[] {
  const isOurs = part.kind === 'carry' && part.provider === 'openai-compatible';
  return isOurs && isJsonObject(part.item) ? [part.item] : [];
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
