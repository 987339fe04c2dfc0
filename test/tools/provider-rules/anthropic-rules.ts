import type {
  ContentBlockParam,
  MessageCreateParams,
  MessageParam,
  ToolResultBlockParam,
  ToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import { duplicates } from './duplicates.ts';

type Blocks = readonly ContentBlockParam[];

/**
 * What the Messages API rejects in a request, by its documentation: the pages on tool use, extended thinking and prompt
 * caching, and the types of its library. Empty: nothing.
 */
export function faultsInAnthropic({
  messages,
  system,
  thinking,
  max_tokens: most,
  tools = [],
}: MessageCreateParams): readonly string[] {
  const all = messages.map(blocksOf);
  const uses = all.flatMap(usesIn);
  return [
    ...faultsInRoles(messages),
    ...all.flatMap((blocks, index) =>
      [
        ...faultsInBlocks(blocks),
        ...faultsInResults(usesIn(all[index - 1] ?? []), blocks),
        ...(messages[index]?.role === 'assistant'
          ? faultsInThinking(blocks)
          : faultsInUser(blocks)),
      ].map((fault) => `message ${index}: ${fault}`),
    ),
    ...duplicates(uses.map(({ id }) => id)).map((id) => `tool use ${id} is there twice`),
    ...(uses.length > 0 && tools.length === 0 ? ['there are tool uses, but no tools'] : []),
    ...(thinking?.type === 'enabled' ? faultsWithThinking(all, most - thinking.budget_tokens) : []),
    ...faultsInMarks([...(Array.isArray(system) ? system : []), ...all.flat()]),
  ];
}

function blocksOf({ content }: MessageParam): Blocks {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function usesIn(blocks: Blocks): readonly ToolUseBlockParam[] {
  return blocks.filter((block) => block.type === 'tool_use');
}

/** The first message is of the user; the last one too, because current models take no beginning of a reply. */
function faultsInRoles(messages: readonly MessageParam[]): readonly string[] {
  return [
    ...(messages[0]?.role === 'user' ? [] : ['the first message is not of the user']),
    ...(messages.at(-1)?.role === 'user' ? [] : ['the last message is not of the user']),
    ...messages.flatMap(({ role }, index) =>
      messages[index - 1]?.role === role ? [`message ${index}: ${role} again`] : [],
    ),
  ];
}

function faultsInBlocks(blocks: Blocks): readonly string[] {
  return [
    ...(blocks.length === 0 ? ['no content'] : []),
    ...blocks.flatMap((block) => {
      if (block.type === 'text' && block.text.trim() === '') return ['a blank text'];
      if (block.type !== 'tool_use') return [];
      const isObject =
        typeof block.input === 'object' && block.input !== null && !Array.isArray(block.input);
      return [
        ...(/^[\w-]{1,64}$/.test(block.id) ? [] : [`id ${block.id}`]),
        ...(/^[\w-]{1,64}$/.test(block.name) ? [] : [`name ${block.name}`]),
        ...(isObject ? [] : ['an input that is not an object']),
      ];
    }),
  ];
}

/** Every tool use has its result in the next message, and results come before anything else in it. */
function faultsInResults(uses: readonly ToolUseBlockParam[], blocks: Blocks): readonly string[] {
  const results = blocks.filter(
    (block): block is ToolResultBlockParam => block.type === 'tool_result',
  );
  const answered = results.map(({ tool_use_id: id }) => id);
  const open = uses.filter(({ id }) => !answered.includes(id));
  const stray = answered.filter((id) => !uses.some((use) => use.id === id));
  const isFirst = blocks.slice(0, results.length).every(({ type }) => type === 'tool_result');
  return [
    ...open.map(({ id }) => `no result for ${id}`),
    ...stray.map((id) => `a result for ${id}, which is not in the message before`),
    ...duplicates(answered).map((id) => `two results for ${id}`),
    ...(isFirst ? [] : ['a result behind other content']),
  ];
}

/** Thinking comes first, with its signature, and something follows it. */
function faultsInThinking(blocks: Blocks): readonly string[] {
  const isThinking = ({ type }: ContentBlockParam) =>
    type === 'thinking' || type === 'redacted_thinking';
  const count = blocks.filter(isThinking).length;
  return [
    ...(blocks.slice(0, count).every(isThinking) ? [] : ['thinking behind other content']),
    ...(count > 0 && count === blocks.length ? ['thinking alone'] : []),
    ...blocks.flatMap((block) => {
      if (block.type === 'thinking' && block.signature === '')
        return ['thinking without a signature'];
      return block.type === 'tool_result' ? ['a result in a reply'] : [];
    }),
  ];
}

/** With thinking on, a reply that is continued after results must begin with its thinking; something is left for the reply. */
function faultsWithThinking(all: readonly Blocks[], left: number): readonly string[] {
  const [reply, last] = all.slice(-2);
  const goesOn = last?.[0]?.type === 'tool_result';
  const begins = ['thinking', 'redacted_thinking'].includes(reply?.[0]?.type ?? '');
  return [
    ...(left > 0 ? [] : ['a thinking budget without room for a reply']),
    ...(goesOn && !begins ? ['thinking is on, but missing in the reply before the results'] : []),
  ];
}

function faultsInUser(blocks: Blocks): readonly string[] {
  return blocks.flatMap(({ type }) =>
    ['tool_use', 'thinking', 'redacted_thinking'].includes(type) ? [`${type} of the user`] : [],
  );
}

/** At most four marks, none on thinking, and none on an entry that lives longer behind one that lives shorter. */
function faultsInMarks(blocks: Blocks): readonly string[] {
  const marks = blocks.flatMap((block) =>
    'cache_control' in block && block.cache_control ? [block.cache_control.ttl ?? '5m'] : [],
  );
  return [
    ...(marks.length > 4 ? [`${marks.length} cache marks`] : []),
    ...(marks.lastIndexOf('1h') > marks.indexOf('5m') && marks.includes('5m')
      ? ['a long cache entry behind a short one']
      : []),
    ...blocks.flatMap((block) =>
      /thinking/.test(block.type) && 'cache_control' in block ? ['a cache mark on thinking'] : [],
    ),
  ];
}
