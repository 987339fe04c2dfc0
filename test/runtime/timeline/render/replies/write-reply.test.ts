import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PastReply } from '../../../../../runtime/timeline/render/replies/past-reply.ts';
import { inputWithProgram } from '../../../../../runtime/timeline/render/replies/past-reply.ts';
import { writeReply } from '../../../../../runtime/timeline/render/replies/write-reply.ts';
import { runs } from '../../../../tools/runs.ts';
import { pastReplies, readAgain } from './past-replies.ts';

// proves: prompt.own-replies

test('a reply written in channels reads back as what it was made of, whatever its texts contain', () => {
  fc.assert(
    fc.property(pastReplies, (past) => {
      const read = readAgain('channels', [{ kind: 'text', text: writeReply(past, 'channels') }]);
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
          ...(notes === '' ? {} : { notes }),
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

function textsOf({ texts }: PastReply, channel: string): readonly string[] {
  return texts.filter((each) => each.channel === channel).map(({ text }) => text);
}

test('a reply written as decision objects reads back with its actions, programs and fields', () => {
  fc.assert(
    fc.property(pastReplies, (past) => {
      const read = readAgain('json', [{ kind: 'text', text: writeReply(past, 'json') }]);
      const actions = read.decisions.map(({ text }) => JSON.parse(text));
      if (past.calls.length + past.answers.length === 0) return;
      expect(actions).toMatchObject([
        ...past.calls.map((call) => ({
          action: 'call_tool',
          ...(call.notes === '' ? {} : { notes: call.notes }),
          tool_call: { tool_id: call.tool, params: inputWithProgram(call) },
        })),
        ...past.answers.map(({ action, text }) => ({ action, final_answer: text })),
      ]);
      expect(read.codes.map(({ text }) => text)).toEqual(
        past.calls.flatMap(({ program }) => program ?? []),
      );
      expect(read.thinking.map(({ text }) => text).join('')).toBe(past.thinking.join('\n\n'));
      expect(read.canvases.map(({ text }) => text)).toEqual(past.canvases.map(({ text }) => text));
      expect(read.summary).toEqual(past.summaries[0]);
    }),
    runs(100),
  );
});

test('a reply of native calls reads back with its calls, notes and what stands in tags', () => {
  const native = pastReplies.filter(({ calls }) => calls.length === 1);
  fc.assert(
    fc.property(native, (reply) => {
      const past = { ...reply, answers: [], texts: [] };
      const call = past.calls[0];
      if (!call) return;
      const read = readAgain('native-tools', [
        { kind: 'text', text: writeReply(past, 'native-tools') },
        { kind: 'call', call: 'x', name: 'a__b' },
        { kind: 'arguments', call: 'x', text: JSON.stringify(inputWithProgram(call)) },
        { kind: 'call_end', call: 'x' },
      ]);
      expect(read.decisions.map(({ text }) => JSON.parse(text))).toMatchObject([
        { action: 'call_tool', tool_call: { tool_id: 'a.b', params: inputWithProgram(call) } },
      ]);
      expect(read.thinking.map(({ text }) => text)).toEqual(past.thinking);
      expect(read.canvases.map(({ text }) => text)).toEqual(past.canvases.map(({ text }) => text));
      expect(read.summary).toEqual(past.summaries[0]);
    }),
    runs(100),
  );
});
