import fc from 'fast-check';
import { declaredChannels } from '../../../../../runtime/channels/protocol/channel.ts';
import type { Protocol, ReplyPiece } from '../../../../../runtime/channels/protocol/reply-piece.ts';
import { createToolNames } from '../../../../../runtime/channels/protocol/tool-names.ts';
import { createPieceReader } from '../../../../../runtime/channels/readers/piece-reader.ts';
import { createReplyCollector } from '../../../../../runtime/channels/reply/reply.ts';
import { toCallId } from '../../../../../runtime/timeline/ids.ts';
import type { PastReply } from '../../../../../runtime/timeline/render/replies/past-reply.ts';

const words = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    'a </channel:thinking> b',
    '```\n<channel:code>\n```',
    'one ` tick, "c1"',
    '</channel:code id="c1">',
    '<think>x</think>',
    'a\n\nb < c',
    '{"action":"complete"}',
  ),
);
/** As blocks keep a body: not empty, without line breaks at its ends. */
const said = words
  .map((text) => text.replace(/^[\r\n]+|[\r\n]+$/g, ''))
  .filter((text) => text.trim() !== '');
const name = fc.constantFrom('board.md', 'a "b".md', "it's.md");
/** Replies with any texts in them. */
export const pastReplies: fc.Arbitrary<PastReply> = fc.record({
  thinking: fc.array(said, { maxLength: 2 }),
  texts: fc.array(
    fc.record({ channel: fc.constantFrom('timeline_text', 'internal'), text: said }),
    { maxLength: 2 },
  ),
  calls: fc.array(
    fc.record(
      {
        call: fc.constant(toCallId('tc_1')),
        tool: fc.constant('a.b'),
        notes: words,
        input: fc.dictionary(fc.constantFrom('x', 'y'), words, { noNullPrototype: true }),
        program: said,
      },
      { requiredKeys: ['call', 'tool', 'notes', 'input'] },
    ),
    { maxLength: 3 },
  ),
  canvases: fc.array(fc.record({ name, text: said }), { maxLength: 1 }),
  answers: fc.array(
    fc.record({
      action: fc.constantFrom('complete', 'exit'),
      text: words,
      followups: fc.array(words, { maxLength: 2 }),
    }),
    { maxLength: 1 },
  ),
  summaries: fc.array(said, { maxLength: 1 }),
});

/** What a model that wrote these pieces would have said. */
export function readAgain(protocol: Protocol, pieces: readonly ReplyPiece[]) {
  const reader = createPieceReader({
    protocol,
    channels: declaredChannels,
    prose: false,
    names: createToolNames(['a.b']),
    isExec: () => true,
  });
  const collector = createReplyCollector();
  for (const piece of pieces) collector.push(reader.push(piece));
  collector.push(reader.end());
  return collector.reply();
}
