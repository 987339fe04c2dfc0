import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { duplicates } from './duplicates.ts';

/**
 * What is wrong with a prompt for the provider packages of the AI SDK, by the types of their common interface and by the
 * rules that their providers share: roles alternate, and the results of a reply follow it at once, in the order of its
 * calls. Empty: nothing.
 */
export function faultsInAiSdk(prompt: LanguageModelV4Prompt): readonly string[] {
  return [
    ...prompt.flatMap((message, index) =>
      [
        ...faultsInPlace(prompt[index - 1], message),
        ...faultsInContent(message),
        ...faultsInPairs(message, prompt[index + 1]),
      ].map((fault) => `message ${index}: ${fault}`),
    ),
    ...duplicates(prompt.flatMap(callsIn).map(({ toolCallId: id }) => id)).map(
      (id) => `call ${id} is there twice`,
    ),
    ...(prompt.at(-1)?.role === 'assistant' ? ['the last message is a reply'] : []),
  ];
}

function callsIn({ role, content }: LanguageModelV4Message) {
  return role === 'assistant' ? content.filter((part) => part.type === 'tool-call') : [];
}

function resultsIn({ role, content }: LanguageModelV4Message) {
  return role === 'tool' ? content.filter((part) => part.type === 'tool-result') : [];
}

/** Which roles may stand before this one. */
const before: Readonly<Record<LanguageModelV4Message['role'], readonly string[]>> = {
  system: ['nothing'],
  user: ['nothing', 'system', 'assistant', 'tool'],
  assistant: ['user', 'tool'],
  tool: ['assistant'],
};

function faultsInPlace(
  last: LanguageModelV4Message | undefined,
  { role }: LanguageModelV4Message,
): readonly string[] {
  const previous = last?.role ?? 'nothing';
  return before[role].includes(previous) ? [] : [`${role} after ${previous}`];
}

function faultsInContent({ role, content }: LanguageModelV4Message): readonly string[] {
  if (role === 'system') return content === '' ? ['no text'] : [];
  const kinds: readonly string[] = content.map(({ type }) => type);
  const reasoning = kinds.filter((kind) => kind === 'reasoning').length;
  return [
    ...(content.length === 0 ? ['no content'] : []),
    ...(kinds.lastIndexOf('reasoning') < reasoning ? [] : ['reasoning behind other content']),
    ...(reasoning > 0 && reasoning === kinds.length ? ['reasoning alone'] : []),
    ...content.flatMap((part) => {
      if (part.type === 'text') return part.text.trim() === '' ? ['a blank text'] : [];
      if (part.type !== 'tool-call') return [];
      const isObject = Object.prototype.toString.call(part.input) === '[object Object]';
      return [
        ...(/^[\w-]{1,64}$/.test(part.toolName) ? [] : [`name ${part.toolName}`]),
        ...(isObject ? [] : ['an input that is not an object']),
      ];
    }),
  ];
}

/** As many results as calls, in their order and under their names. */
function faultsInPairs(
  message: LanguageModelV4Message,
  next: LanguageModelV4Message | undefined,
): readonly string[] {
  if (message.role !== 'assistant') return [];
  const calls = callsIn(message).map(({ toolCallId, toolName }) => `${toolCallId} ${toolName}`);
  const results = next
    ? resultsIn(next).map(({ toolCallId, toolName }) => `${toolCallId} ${toolName}`)
    : [];
  return calls.join() === results.join()
    ? []
    : [`calls ${calls.join(', ')}, but results ${results.join(', ')}`];
}
