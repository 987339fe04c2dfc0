import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { isJsonObject } from '../../../runtime/base/json.ts';
import type { Block } from '../../../runtime/timeline/block.ts';

/** What one turn of a log says, as the messages of an agent loop. */
export type GraphTurn = {
  readonly prompt: string;
  /** A reply, and what its call gave, if it made one. */
  readonly steps: readonly {
    readonly reply: AIMessage;
    readonly result: ToolMessage | undefined;
  }[];
};

const stepsMax = 200;

/** The same turns on LangGraph, as its guide sets an agent with memory up: a graph of agent and tools, all messages its state. */
export async function openGraph(url: string) {
  const saver = PostgresSaver.fromConnString(url);
  await saver.setup();
  let turn: GraphTurn = { prompt: '', steps: [] };
  let step = 0;
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('agent', () => ({ messages: [turn.steps[step]?.reply ?? new AIMessage('Done.')] }))
    .addNode('tools', () => {
      const result = turn.steps[step]?.result;
      step += 1;
      return { messages: result ? [result] : [] };
    })
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', () => (turn.steps[step]?.result ? 'tools' : END))
    .addEdge('tools', 'agent')
    .compile({ checkpointer: saver });
  return {
    say: async (next: GraphTurn) => {
      turn = next;
      step = 0;
      const config = { configurable: { thread_id: 'bench' }, recursionLimit: stepsMax };
      await graph.invoke({ messages: [new HumanMessage(next.prompt)] }, config);
    },
    [Symbol.asyncDispose]: () => saver.end(),
  };
}

/** What the log of a story says, without what only ours has: no thinking, no summaries. */
export function toGraphTurns(log: readonly Block[]): readonly GraphTurn[] {
  return groups(log).map((blocks) => ({
    prompt: blocks.find(({ type }) => type === 'user.prompt')?.text ?? '',
    steps: blocks.flatMap((block) => toStep(block, blocks)),
  }));
}

function groups(log: readonly Block[]): readonly (readonly Block[])[] {
  const byTurn = new Map<string, Block[]>();
  for (const block of log) byTurn.set(block.turn, [...(byTurn.get(block.turn) ?? []), block]);
  return [...byTurn.values()];
}

function toStep(block: Block, blocks: readonly Block[]): GraphTurn['steps'] {
  const { type, text = '', call: id = '', data } = block;
  if (type === 'assistant.completion') return [{ reply: new AIMessage(text), result: undefined }];
  if (type !== 'react.tool.call' || !isJsonObject(data)) return [];
  const { tool, input } = data;
  const notes = blocks.find((each) => each.type === 'react.notes' && each.call === id)?.text ?? '';
  const found = blocks.find((each) => each.type === 'react.tool.result' && each.call === id);
  const args = isJsonObject(input) ? input : {};
  const name = String(tool);
  return [
    {
      reply: new AIMessage({ content: notes, tool_calls: [{ id, name, args, type: 'tool_call' }] }),
      result: new ToolMessage({ content: resultOf(found), tool_call_id: id, name }),
    },
  ];
}

function resultOf(block: Block | undefined): string {
  return block?.text ?? JSON.stringify(block?.data ?? null);
}
