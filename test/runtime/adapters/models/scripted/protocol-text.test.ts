import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toProtocolText } from '../../../../../runtime/adapters/models/scripted/protocol-text.ts';
import { parseScript, type Reply } from '../../../../../runtime/adapters/models/scripted/reply.ts';
import { parseDecision } from '../../../../../runtime/channels/reply/decision.ts';
import { createScanner } from '../../../../../runtime/channels/scan/scanner.ts';
import { written } from '../../../channels/reply/replies.ts';

/** Text that has what scanners stumble over. */
const awkward = fc
  .array(
    fc.constantFrom(
      'a',
      '\n',
      ' ',
      '`',
      '```',
      '"',
      '\\',
      '<',
      '</channel:code>',
      '<channel:x>',
      '"c1"',
      '{}',
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((pieces) => pieces.join(''));

test('whatever a reply says comes out of the scanner as it was written', () => {
  const replies: fc.Arbitrary<Reply> = fc.record(
    {
      thinking: awkward,
      timeline_text: awkward,
      canvas: awkward,
      code: awkward,
      notes: awkward,
      answer: awkward.filter((text) => text.trim() !== ''),
      internal: awkward,
      summary: awkward,
    },
    { requiredKeys: ['code', 'answer', 'notes'] },
  );
  fc.assert(
    fc.property(replies, (reply) => {
      const call = { tool: 'exec_tools.execute_code_python', input: { path: reply.notes ?? '' } };
      const [parsed] = parseScript([{ ...reply, call }]).replies;
      if (!parsed) throw new Error('one reply in, one reply out');
      const bodies = scan(toProtocolText(parsed));
      for (const name of [
        'thinking',
        'timeline_text',
        'canvas',
        'code',
        'internal',
        'summary',
      ] as const) {
        expect(bodies.get(name)?.[0]).toBe(reply[name]);
      }
      const [first, second] = (bodies.get('ReactDecisionOutV2') ?? []).map((body) =>
        parseDecision(written(body)),
      );
      expect(first).toMatchObject({
        ok: true,
        repairs: [],
        decision: { notes: reply.notes, tool_call: { tool_id: call.tool, params: call.input } },
      });
      expect(second).toMatchObject({
        ok: true,
        repairs: [],
        decision: { final_answer: reply.answer },
      });
    }),
  );
});

function scan(text: string): ReadonlyMap<string, string[]> {
  const scanner = createScanner();
  const bodies = new Map<string, string[]>();
  for (const event of [...scanner.push(text), ...scanner.end()]) {
    if (event.kind === 'notice') throw new Error(event.message);
    const list = bodies.get(event.channel) ?? [];
    bodies.set(event.channel, list);
    if (event.kind === 'opened') list.push('');
    if (event.kind === 'text') list.push((list.pop() ?? '') + event.text);
  }
  return bodies;
}
