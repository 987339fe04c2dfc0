import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { protocols } from '../../../../runtime/channels/protocol/reply-piece.ts';
import { defineAgent, defineBundle, defineTool } from '../../../../runtime/sdk/index.ts';
import { openRuntime, outline } from '../../../../runtime/testing/index.ts';
import { patient } from '../../../tools/machine-speed.ts';
import { runs } from '../../../tools/runs.ts';
import { heldAt } from './held-reply.ts';

// proves: protocol.interrupted

const note = defineTool({
  id: 'desk.note',
  description: 'Keeps a note.',
  traits: ['neutral'],
  input: z.object({ text: z.string() }),
  run: ({ text }) => text,
});

test(
  'a crash at any character of a reply ends its round, and another worker answers',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...protocols),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        async (protocol, share) => {
          const agent = defineAgent({
            ...{ id: 'main', instruction: 'x', tools: [note], protocol },
            policies: { multiAction: 'safe_fanout' },
          });
          const bundle = defineBundle({ id: 'acme', version: '1', agents: [agent] });
          const calls = ['One', 'Two'].map((text) => ({ tool: 'desk.note', input: { text } }));
          const reply = heldAt({ thinking: 'Both.', call: calls }, protocol, share);
          await using runtime = await openRuntime({ bundle, model: [reply, { answer: 'Right.' }] });
          const turn = await runtime.send('Keep both');
          await runtime.model.held('here');
          await runtime.crash();
          expect(await turn.done()).toMatchObject({ reason: 'completed', text: 'Right.' });
          const blocks = outline(await turn.blocks(), 'react.tool', 'turn', 'round');
          expect(blocks).toEqual([
            ...['turn.open', 'round.open', 'round.close', 'round.open', 'round.close'],
            'turn.close completed',
          ]);
        },
      ),
      runs(16),
    );
  },
  patient(60_000),
);
