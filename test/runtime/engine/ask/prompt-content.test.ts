import fc from 'fast-check';
import { expect, test } from 'vitest';
import { promptContent } from '../../../../runtime/engine/perform/ask/prompt-content.ts';
import type { RenderPart } from '../../../../runtime/timeline/render/render.ts';
import { faultsInMessages } from '../../../tools/provider-rules/message-rules.ts';
import { runs } from '../../../tools/runs.ts';
import { tellStory } from '../../timeline/stories/stories.ts';

// proves: prompt.provider-legal

const carry = [
  { provider: 'anthropic', item: { type: 'thinking', thinking: 'hm', signature: 's' } },
];

function messagesOf(parts: readonly RenderPart[]) {
  const read = async ({ hash }: { hash: string }) =>
    Buffer.from(/turn_\d+\.\d+$/.test(hash) ? JSON.stringify(carry) : 'bytes');
  return promptContent(parts, { as: 'messages', read });
}

test('a prompt in message form alternates roles, pairs calls with results and carries reasoning only before a reply', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(10_000), async (seed) => {
      const { prompts, form } = tellStory(seed, 6);
      if (form.as === 'text') return;
      for (const { parts } of prompts) {
        const { messages = [] } = await messagesOf(parts);
        expect(faultsInMessages(messages)).toEqual([]);
      }
    }),
    runs(30),
  );
});
