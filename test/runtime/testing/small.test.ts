import { expect, test } from 'vitest';
import { z } from 'zod';
import { protocols } from '../../../runtime/channels/protocol/reply-piece.ts';
import { instructionOf, instructionVersionOf } from '../../../runtime/engine/agent/instruction.ts';
import { assertRoom } from '../../../runtime/engine/agent/prompt-room.ts';
import { outputTokensOf } from '../../../runtime/engine/agent/reserved-tokens.ts';
import { smallSystemTokensMax } from '../../../runtime/engine/limits.ts';
import { defineAgent, defineBundle, defineTool, starters } from '../../../runtime/sdk/index.ts';
import { openRuntime } from '../../../runtime/testing/index.ts';
import { countTokens } from '../../../runtime/timeline/tokens.ts';
import { agentWith } from '../engine/kit/harness.ts';

const look = defineTool({
  id: 'shelf.look',
  description: 'Reads a long page.',
  input: z.object({ page: z.number() }),
  traits: ['exploration'],
  run: ({ page }) => `page ${page}: ${'a word and another '.repeat(400)}`,
});
const agent = defineAgent({
  ...starters.small,
  ...{ id: 'main', instruction: 'You help readers.', tools: [look] },
});
const window = { context: { maxTokens: 8_000 } };
const bundle = defineBundle({ id: 'acme', version: '1.0.0', agents: [agent] });

// proves: small.window
test.each(protocols)(
  'the short %s instruction has a version of its own and stays within its limit',
  (protocol) => {
    for (const hasPrograms of [false, true]) {
      const text = instructionOf({ protocol, hasPrograms, isSmall: true });
      expect(countTokens(text)).toBeLessThan(smallSystemTokensMax * 0.55);
      expect(text.includes('OUTPUT_DIR')).toBe(hasPrograms);
    }
    expect(instructionVersionOf({ protocol, isSmall: true })).toBe('timeloom-small-3');
  },
);

// proves: small.window
test('an agent in a window of 8,000 tokens stays within it over many turns, prompt and output together', async () => {
  const turns = [1, 2, 3, 4, 5, 6];
  const script = turns.flatMap((n) => [
    { thinking: 'Look.', call: { tool: 'shelf.look', input: { page: n } } },
    { thinking: 'Again.', call: { tool: 'shelf.look', input: { page: n + 100 } } },
    { answer: `Answer ${n}.`, summary: `Read page ${n}.` },
  ]);
  await using runtime = await openRuntime({ bundle, model: script });
  for (const n of turns) {
    const turn = await runtime.send(`Read page ${n}`);
    expect(await turn.done()).toMatchObject({ reason: 'completed', text: `Answer ${n}.` });
  }
  const decisions = runtime.model.requests.filter(({ role }) => role === 'decision');
  expect(decisions.length).toBeGreaterThanOrEqual(18);
  for (const { text } of decisions)
    expect(countTokens(text) + outputTokensOf(window)).toBeLessThanOrEqual(8_000);
  const [first] = decisions;
  expect(first?.tools).toEqual(['react.memsearch', 'react.read', 'react.write', 'shelf.look']);
  const system = first?.text.slice(0, first.text.indexOf('TURN t1')) ?? '';
  expect(countTokens(system)).toBeLessThanOrEqual(smallSystemTokensMax);
});

test('an agent in a small window gets another control tool if it lists it', async () => {
  const planning = defineAgent({
    ...starters.small,
    id: 'main',
    instruction: 'You help.',
    tools: ['react.plan'],
  });
  const desk = defineBundle({ id: 'desk', version: '1.0.0', agents: [planning] });
  await using runtime = await openRuntime({ bundle: desk, model: [{ answer: 'Yes.' }] });
  await (await runtime.send('Hello')).done();
  expect(runtime.model.requests[0]?.tools).toContain('react.plan');
});

// proves: small.window
test('a window that leaves no room for a conversation is refused', () => {
  const withWindow = (maxTokens: number) => {
    const { context } = agentWith();
    return agentWith({ context: { ...context, maxTokens } });
  };
  expect(() => assertRoom(withWindow(8_000))).not.toThrow();
  expect(() => assertRoom(withWindow(4_000))).toThrow(/CONTEXT_TOO_SMALL/);
});
