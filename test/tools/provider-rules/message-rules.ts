import type { PromptMessage } from '../../../runtime/engine/ports/model.ts';
import { duplicates } from './duplicates.ts';

type Part = PromptMessage['parts'][number];

/** What is wrong with a prompt in message form, as the port promises it to every adapter. Empty: nothing. */
export function faultsInMessages(messages: readonly PromptMessage[]): readonly string[] {
  return [
    ...(messages.at(0)?.role === 'user' ? [] : ['the first message is not of the user']),
    ...(messages.at(-1)?.role === 'user' ? [] : ['the last message is not of the user']),
    ...messages.flatMap((message, index) => [
      ...(messages[index - 1]?.role === message.role ? [`${index}: the role is repeated`] : []),
      ...faultsInOrder(message).map((fault) => `${index}: ${fault}`),
      ...faultsInPairs(messages[index - 1], message).map((fault) => `${index}: ${fault}`),
    ]),
    ...faultsOfMarks(messages),
    ...duplicates(messages.flatMap(callsIn)).map((call) => `call ${call} is there twice`),
  ];
}

function faultsInOrder({ role, parts }: PromptMessage): readonly string[] {
  const kinds: readonly string[] = (parts as readonly Part[]).map(({ kind }) => kind);
  const texts = (parts as readonly Part[]).flatMap((part) =>
    part.kind === 'text' || part.kind === 'result' ? [part.text] : [],
  );
  const isFirst = (kind: string) =>
    kinds.lastIndexOf(kind) < kinds.filter((each) => each === kind).length;
  return [
    ...(parts.length === 0 ? ['the message is empty'] : []),
    ...(texts.every((text) => text.trim() !== '') ? [] : ['a text is blank']),
    ...(isFirst('result') ? [] : ['a result stands behind something else']),
    ...(role === 'user' || isFirst('carry') ? [] : ['reasoning stands behind something else']),
    ...(kinds.at(-1) === 'carry' ? ['reasoning has no reply'] : []),
  ];
}

/** The results of a message answer exactly the calls of the message before, in their order. */
function faultsInPairs(
  before: PromptMessage | undefined,
  message: PromptMessage,
): readonly string[] {
  if (message.role === 'assistant') return [];
  const calls = before ? callsIn(before) : [];
  const results = message.parts.flatMap((part) => (part.kind === 'result' ? [part.call] : []));
  return JSON.stringify(calls) === JSON.stringify(results)
    ? []
    : [`calls ${calls.join(' ')}, but results ${results.join(' ')}`];
}

function callsIn({ role, parts }: PromptMessage): readonly string[] {
  if (role === 'user') return [];
  return parts.flatMap((part) => (part.kind === 'call' ? [part.call] : []));
}

function faultsOfMarks(messages: readonly PromptMessage[]): readonly string[] {
  const parts = messages.flatMap<Part>((message) => [...message.parts]);
  const marks = parts.filter((part) => 'checkpoint' in part && part.checkpoint);
  return [
    ...(marks.length > 3 ? [`there are ${marks.length} cache marks`] : []),
    ...(marks.some(({ kind }) => kind === 'carry') ? ['a cache mark stands on reasoning'] : []),
  ];
}
