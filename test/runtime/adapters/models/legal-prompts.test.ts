import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withLegalThinking } from '../../../../runtime/adapters/models/providers/anthropic/legal-thinking.ts';
import type { Json } from '../../../../runtime/base/json.ts';
import { promptContent } from '../../../../runtime/engine/perform/ask/prompt-content.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { settle } from '../../../../runtime/timeline/close/close-turn.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import type { PromptForm } from '../../../../runtime/timeline/render/form.ts';
import { type RenderPart, render } from '../../../../runtime/timeline/render/render.ts';
import { faultsInRequests } from '../../../tools/provider-rules/all-rules.ts';
import { runs } from '../../../tools/runs.ts';
import { LogWriter } from '../../timeline/logs/log-writer.ts';
import { cutLogs } from '../../timeline/logs/logs.ts';
import { messageForms } from '../../timeline/render/forms.ts';
import { announce, tellStory } from '../../timeline/stories/stories.ts';

// proves: prompt.provider-legal

/** Reasoning of every provider: each adapter sends back its own. */
const carried = [
  { provider: 'anthropic', item: { type: 'thinking', thinking: 'Hm.', signature: 'sig' } },
  { provider: 'anthropic', item: { type: 'redacted_thinking', data: 'sealed' } },
  {
    provider: 'openai',
    item: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' },
  },
  { provider: 'openai-compatible', item: { reasoning_details: [{ type: 'reasoning.text' }] } },
];
async function faultsIn(
  parts: readonly RenderPart[],
  form: PromptForm,
  carry: readonly Json[] = carried,
): Promise<readonly string[]> {
  const read = async ({ hash }: { hash: string }) =>
    Buffer.from(/turn_\d+\.\d+$/.test(hash) ? JSON.stringify(carry) : 'bytes');
  return faultsInRequests(await promptContent(parts, { as: form.as, read }));
}

test('every prompt of whole conversations is legal with every provider, in each form, after any hide, prune and compaction', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(10_000), async (seed) => {
      const { prompts, form } = tellStory(seed, 5);
      for (const { parts } of prompts) {
        expect(await faultsIn(parts, form)).toEqual([]);
        expect(await faultsIn(parts, form, [])).toEqual([]);
      }
    }),
    runs(20),
  );
});

test('so is the next prompt after a turn or a fork that ended at any block', async () => {
  await fc.assert(
    fc.asyncProperty(cutLogs, async ({ blocks, cut }) => {
      const log = settled(blocks.slice(0, cut));
      const view = foldAll(emptyView, log);
      for (const form of messageForms) {
        const { parts } = render(view, { asOf: view.head, announce, ...form });
        expect(await faultsIn(parts, form)).toEqual([]);
      }
    }),
    runs(20),
  );
});

/** The log after its open turn was interrupted, with another prompt. */
function settled(blocks: readonly Block[]): readonly Block[] {
  const log = new LogWriter('conv_test', blocks);
  const view = foldAll(emptyView, blocks);
  log.append(...settle(view, { reason: 'interrupted', now: '2026-01-01T01:00:00.000Z' }));
  const turn = toTurnId('turn_next');
  const { openTurn } = view;
  if (openTurn) {
    const data = { reason: 'interrupted' };
    log.append({ type: 'turn.close', turn: openTurn.id, author: 'system', data });
  }
  log.append(
    { type: 'turn.open', turn, author: 'system', data: {} },
    { type: 'user.prompt', turn, author: 'user', path: paths.prompt(turn), text: 'And now?' },
  );
  return log.blocks;
}

const hi = { role: 'user', content: 'Hi' } as const;
const thought = { type: 'thinking', thinking: 'Hm.', signature: 'sig' } as const;
const use = { type: 'tool_use', id: 'a', name: 'a__b', input: {} } as const;
const result = { type: 'tool_result', tool_use_id: 'a', content: 'x' } as const;
const text = { type: 'text', text: 'And?' } as const;

test.each([
  ['stays on before the first reply', [hi], 'enabled'],
  [
    'stays on in a loop whose reply begins with its thinking',
    [hi, { role: 'assistant', content: [thought, use] }, { role: 'user', content: [result, text] }],
    'enabled',
  ],
  [
    'is off in a loop whose reply lacks its thinking',
    [hi, { role: 'assistant', content: [use] }, { role: 'user', content: [result, text] }],
    'disabled',
  ],
  [
    'is on again once the loop is over',
    [hi, { role: 'assistant', content: [text] }, { role: 'user', content: [text] }],
    'enabled',
  ],
] as const)('thinking with a fixed budget %s', (_, messages, type) => {
  const thinking = { type: 'enabled', budget_tokens: 1_024 } as const;
  const list = messages.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : [...content],
  }));
  const body = { model: 'm', max_tokens: 2_000, stream: true, messages: list, thinking } as const;
  expect(withLegalThinking({ ...body, messages: list }).thinking?.type).toBe(type);
  const small = { ...body, messages: list, max_tokens: 1_024 };
  expect(withLegalThinking(small).thinking?.type).toBe('disabled');
});
