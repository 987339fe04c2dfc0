import fc from 'fast-check';
import { expect, test } from 'vitest';
import { declaredChannels } from '../../../../../runtime/channels/protocol/channel.ts';
import { createReplyCollector } from '../../../../../runtime/channels/reply/reply.ts';
import { createReplyScanner } from '../../../../../runtime/channels/scan/reply-scanner.ts';
import { toCallId } from '../../../../../runtime/timeline/ids.ts';
import type { PastReply } from '../../../../../runtime/timeline/render/replies/past-reply.ts';
import { writeReply } from '../../../../../runtime/timeline/render/replies/write-reply.ts';
import { runs } from '../../../../tools/runs.ts';

// proves: prompt.own-replies

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
const reply: fc.Arbitrary<PastReply> = fc.record({
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

test('a reply written in channels reads back as what it was made of, whatever its texts contain', () => {
  fc.assert(
    fc.property(reply, (past) => {
      const read = readAgain(writeReply(past, 'channels'));
      expect(read.thinking.map(({ text }) => text)).toEqual(past.thinking);
      expect(read.timelineTexts.map(({ text }) => text)).toEqual(textsOf(past, 'timeline_text'));
      expect(read.internals.map(({ text }) => text)).toEqual(textsOf(past, 'internal'));
      expect(read.canvases.map(({ text }) => text)).toEqual(past.canvases.map(({ text }) => text));
      expect(read.canvases.map(({ attributes }) => attributes['name'])).toEqual(
        past.canvases.map((canvas) => canvas.name),
      );
      expect(read.decisions.map(({ text }) => JSON.parse(text))).toEqual([
        ...past.calls.map(({ tool, notes, input }) => ({
          action: 'call_tool',
          notes,
          tool_call: { tool_id: tool, params: input },
        })),
        ...past.answers.map(({ action, text, followups }) => ({
          action,
          final_answer: text,
          ...(followups.length > 0 ? { suggested_followups: followups } : {}),
        })),
      ]);
      expect(read.codes.map(({ text }) => text)).toEqual(
        past.calls.flatMap(({ program }) => program ?? []),
      );
      expect(read.summary).toEqual(past.summaries[0]);
      expect(read.notices).toEqual([]);
    }),
    runs(200),
  );
});

function readAgain(text: string) {
  const scanner = createReplyScanner({ channels: declaredChannels, prose: false });
  const collector = createReplyCollector();
  collector.push(scanner.push(text));
  collector.push(scanner.end());
  return collector.reply();
}

function textsOf({ texts }: PastReply, channel: string): readonly string[] {
  return texts.filter((each) => each.channel === channel).map(({ text }) => text);
}
