import type {
  ChatCompletionCreateParams,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { duplicates } from './duplicates.ts';

/**
 * What the Chat Completions API rejects in a request, by its documentation of tool calls and the types of its library.
 * Empty: nothing.
 */
export function faultsInChat({ messages }: ChatCompletionCreateParams): readonly string[] {
  const calls = messages.flatMap(callsIn);
  return [
    ...messages.flatMap((message, index) =>
      [...faultsInMessage(message, index), ...faultsInPlace(messages, index)].map(
        (fault) => `message ${index}: ${fault}`,
      ),
    ),
    ...duplicates(calls).map((id) => `call ${id} is there twice`),
    ...(messages.at(-1)?.role === 'assistant' ? ['the last message is a reply'] : []),
  ];
}

function callsIn(message: ChatCompletionMessageParam): readonly string[] {
  return message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : [];
}

function faultsInMessage(message: ChatCompletionMessageParam, index: number): readonly string[] {
  switch (message.role) {
    case 'system':
      return index === 0 ? [] : ['a system message behind others'];
    case 'assistant':
      return faultsInReply(message);
    case 'user':
    case 'tool':
      return message.content.length === 0 ? ['no content'] : [];
    default:
      return [`role ${message.role}`];
  }
}

type Reply = Extract<ChatCompletionMessageParam, { role: 'assistant' }>;

/** Content is required unless there are calls; ids have at most 40 characters, names 64. */
function faultsInReply({ content, tool_calls: calls }: Reply): readonly string[] {
  return [
    ...(calls === undefined && !content ? ['no content'] : []),
    ...(calls?.length === 0 ? ['an empty list of calls'] : []),
    ...(calls ?? []).flatMap((call) => {
      if (call.type !== 'function') return [`a call of type ${call.type}`];
      const { name, arguments: text } = call.function;
      return [
        ...(call.id.length > 0 && call.id.length <= 40 ? [] : [`id ${call.id}`]),
        ...(/^[\w-]{1,64}$/.test(name) ? [] : [`name ${name}`]),
        ...(isObject(text) ? [] : [`arguments ${text}`]),
      ];
    }),
  ];
}

function isObject(text: string): boolean {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The results of a reply follow it at once, one for each call; a result stands nowhere else. */
function faultsInPlace(
  messages: readonly ChatCompletionMessageParam[],
  index: number,
): readonly string[] {
  const message = messages[index];
  if (message?.role === 'assistant') {
    const calls = callsIn(message);
    const after = messages.slice(index + 1);
    const until = after.findIndex(({ role }) => role !== 'tool');
    const results = (until < 0 ? after : after.slice(0, until)).flatMap((each) =>
      each.role === 'tool' ? [each.tool_call_id] : [],
    );
    return [
      ...calls.filter((id) => !results.includes(id)).map((id) => `no result for ${id}`),
      ...results.filter((id) => !calls.includes(id)).map((id) => `a stray result for ${id}`),
      ...duplicates(results).map((id) => `two results for ${id}`),
    ];
  }
  const before = messages[index - 1]?.role;
  return message?.role === 'tool' && before !== 'assistant' && before !== 'tool'
    ? ['a result without its reply']
    : [];
}
