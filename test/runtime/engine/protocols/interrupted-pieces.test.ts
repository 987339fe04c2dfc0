import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseScript, type Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { toPieces } from '../../../../runtime/adapters/models/scripted/reply-pieces.ts';
import {
  type Protocol,
  protocols,
  type ReplyPiece,
} from '../../../../runtime/channels/protocol/reply-piece.ts';
import type { Model, ModelRequest } from '../../../../runtime/engine/ports/model.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { faultsInMessages } from '../../../tools/provider-rules/message-rules.ts';
import { runs } from '../../../tools/runs.ts';
import { openHarness } from '../kit/harness.ts';
import { script, scripted } from './script-kit.ts';

// proves: protocol.interrupted

/** The pieces of a reply, which pauses at one of its characters. */
function heldAt(reply: Reply, protocol: Protocol, share: number): Reply {
  const [parsed] = parseScript([reply]).replies;
  const pieces = parsed ? toPieces(parsed, protocol) : [];
  const chars = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0);
  let left = Math.floor(share * (chars + 1));
  const marked = pieces.map((piece) => {
    const at = left;
    left -= lengthOf(piece) + 1;
    if (!('text' in piece) || at < 0 || at > piece.text.length) return piece;
    return { ...piece, text: `${piece.text.slice(0, at)}{{hold}}${piece.text.slice(at)}` };
  });
  const isMarked = marked.some((piece) => 'text' in piece && piece.text.includes('{{hold}}'));
  const end = { kind: 'text' as const, text: '{{hold}}' };
  return { pieces: isMarked ? marked : [...pieces, end], hold: 'here' };
}

function lengthOf(piece: ReplyPiece): number {
  return 'text' in piece ? piece.text.length : 0;
}

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
