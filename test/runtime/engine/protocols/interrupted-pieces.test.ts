import fc from 'fast-check';
import { expect, test } from 'vitest';
import { protocols } from '../../../../runtime/channels/protocol/reply-piece.ts';
import type { Model, ModelRequest } from '../../../../runtime/engine/ports/model.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { faultsInMessages } from '../../../tools/provider-rules/message-rules.ts';
import { runs } from '../../../tools/runs.ts';
import { openHarness } from '../kit/harness.ts';
import { heldAt } from './held-reply.ts';
import { script, scripted } from './script-kit.ts';

// proves: protocol.interrupted

const cases = fc.tuple(
  fc.constantFrom(...protocols),
  fc.constantFrom('text' as const, 'messages' as const),
  script,
  fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
);

test('a steer at any character of a reply leaves a legal history and a legal next prompt', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ([protocol, promptForm, replies, share]) => {
      const [first = { answer: 'x' }] = replies;
      const requests: ModelRequest[] = [];
      const through = (model: Model): Model => ({
        id: model.id,
        contextTokens: model.contextTokens,
        costUsd: () => 0,
        stream: (request, options) => {
          requests.push(request);
          return model.stream(request, options);
        },
      });
      const agent = { ...scripted.agent, protocol, promptForm };
      await using harness = await openHarness(
        [heldAt(first, protocol, share), { answer: 'Right.' }],
        { tools: scripted.tools, agent, through },
      );
      await harness.say('Add');
      await harness.model.held('here');
      await harness.say('Leave it', { kind: 'steer' });
      const blocks = await harness.closed();
      expect(verify(blocks)).toEqual([]);
      expect(blocks.filter(({ type }) => type === 'turn.close')).toHaveLength(1);
      expect(blocks.at(-1)?.data).toMatchObject({ text: 'Right.' });
      const { messages } = requests.at(-1) ?? {};
      expect(messages ? faultsInMessages(messages) : []).toEqual([]);
    }),
    runs(150),
  );
}, 60_000);
