import { z } from 'zod';
import { isFault } from '../../base/fault.ts';
import type { Json } from '../../base/json.ts';
import { createTool } from '../definition/create-tool.ts';
import { type Fact, memoryScopes } from '../ports/long-term-memory.ts';
import type { CallContext, CallMemory, Tool, ToolOutcome } from '../ports/tool.ts';
import {
  memoryQueryCharsMax,
  recordedFactCharsMax,
  recordedFactsMax,
  retrievedFactsDefault,
  retrievedFactsMax,
} from './limits.ts';

const recordTool = createTool({
  id: 'memory.record',
  kind: 'platform',
  traits: ['neutral'],
  effects: 'keyed',
  description:
    'Keeps facts about the user beyond this conversation: names, preferences, decisions, circumstances. One sentence each, ' +
    'understandable on its own. Not for what is only needed in this turn, and never for passwords.',
  input: z.object({
    facts: z
      .array(z.string().min(1).max(recordedFactCharsMax))
      .min(1)
      .max(recordedFactsMax)
      .describe('one sentence each, with names instead of pronouns'),
    scope: z.enum(memoryScopes).optional().describe('default: the first one that you may use'),
  }),
  run: ({ facts, scope }, context) =>
    withMemory(context, async ({ port, ...memory }) => {
      const [first = 'user', ...others] = memory.scopes;
      if (scope && scope !== first && !others.includes(scope)) {
        const message = `You may use the scopes ${memory.scopes.join(', ')}.`;
        return { result: { ok: false, error: { code: 'denied', message, retryable: false } } };
      }
      const recording = {
        owner: { ...context.scope, agent: memory.agent },
        scope: scope ?? first,
        op: context.key,
        conversation: context.conversation,
        content: { facts },
      };
      const kept = await port.record(recording, context);
      return { result: { ok: true, ret: { facts: kept.map(toJson) } } };
    }),
});

const retrieveTool = createTool({
  id: 'memory.retrieve',
  kind: 'platform',
  traits: ['exploration'],
  description:
    'Finds facts that were kept in earlier conversations. For what was said in conversations use react.memsearch.',
  input: z.object({
    query: z.string().min(1).max(memoryQueryCharsMax).describe('words or a question'),
    limit: z.int().min(1).max(retrievedFactsMax).default(retrievedFactsDefault),
  }),
  run: ({ query: text, limit }, context) =>
    withMemory(context, async ({ port, agent, scopes }) => {
      const owner = { ...context.scope, agent };
      const facts = await port.retrieve({ owner, scopes, text, limit }, context);
      return { result: { ok: true, ret: { facts: facts.map(toJson) } } };
    }),
});

/** For agents that use their long-term memory themselves. */
export const memoryTools: readonly Tool[] = [recordTool, retrieveTool];

async function withMemory(
  { memory }: CallContext,
  use: (memory: CallMemory) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const failed = (code: string, message: string, retryable: boolean): ToolOutcome => ({
    result: { ok: false, error: { code, message, retryable } },
  });
  if (!memory) return failed('memory_unavailable', 'There is no long-term memory here.', false);
  try {
    return await use(memory);
  } catch (error) {
    if (!isFault(error)) throw error;
    const message = 'The long-term memory does not answer; go on without it.';
    return failed('memory_unavailable', message, error.kind === 'transient');
  }
}

function toJson({ id, text, scope, at }: Fact): Json {
  return { id, text, scope, at };
}
