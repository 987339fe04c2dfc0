import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { type Protocol, protocols } from '../../../../runtime/channels/protocol/reply-piece.ts';
import type { Model, ModelRequest } from '../../../../runtime/engine/ports/model.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { patient } from '../../../tools/machine-speed.ts';
import { faultsInMessages } from '../../../tools/provider-rules/message-rules.ts';
import { isFullMatrix, runs } from '../../../tools/runs.ts';
import { openHarness } from '../kit/harness.ts';
import { heldAt, placesIn } from './held-reply.ts';
import { script, scripted } from './script-kit.ts';

// proves: protocol.interrupted

type Case = { readonly protocol: Protocol; readonly promptForm: 'text' | 'messages' };

/** A steer at this share of a reply: the log is legal, the turn is answered, and so is the next prompt of any form. */
async function steerAt(reply: Reply, share: number, { protocol, promptForm }: Case) {
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
  const replies = [heldAt(reply, protocol, share), { answer: 'Right.' }];
  const agent = { ...scripted.agent, protocol, promptForm };
  await using harness = await openHarness(replies, { tools: scripted.tools, agent, through });
  await harness.say('Add');
  await harness.model.held('here');
  await harness.say('Leave it', { kind: 'steer' });
  const blocks = await harness.closed();
  expect(verify(blocks)).toEqual([]);
  expect(blocks.filter(({ type }) => type === 'turn.close')).toHaveLength(1);
  expect(blocks.at(-1)?.data).toMatchObject({ text: 'Right.' });
  const { messages } = requests.at(-1) ?? {};
  expect(messages ? faultsInMessages(messages) : []).toEqual([]);
}

const cases = fc.tuple(
  fc.constantFrom(...protocols),
  fc.constantFrom('text' as const, 'messages' as const),
  script,
  fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
);

test(
  'a steer anywhere in any reply leaves a legal history and a legal next prompt',
  async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ([protocol, promptForm, [first = { answer: 'x' }], share]) =>
        steerAt(first, share, { protocol, promptForm }),
      ),
      runs(120),
    );
  },
  patient(60_000),
);

const several: Reply = {
  thinking: 'Both, then a program.',
  timeline_text: 'A moment.',
  call: [
    { tool: 'desk.note', input: { text: 'a "b"' }, notes: 'Keeping it' },
    { tool: 'exec_tools.execute_code_python', input: {}, notes: 'Adding' },
  ],
  code: 'print("}}")',
};

/** In the long run every place, otherwise every 23rd. */
const step = isFullMatrix ? 1 : 23;

test.each(protocols)(
  'a steer at each place of a reply with several calls, in %s',
  async (protocol) => {
    const places = placesIn(several, protocol);
    for (let place = 0; place < places; place += step) {
      const promptForm = place % 2 === 0 ? 'messages' : 'text';
      await steerAt(several, (place + 0.5) / places, { protocol, promptForm });
    }
  },
  patient(120_000),
);
