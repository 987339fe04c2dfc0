import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import { type Protocol, protocols } from '../../../../runtime/channels/protocol/reply-piece.ts';
import type { Frame } from '../../../../runtime/engine/ports/bus.ts';
import { patient } from '../../../tools/machine-speed.ts';
import { runs } from '../../../tools/runs.ts';
import { openHarness } from '../kit/harness.ts';
import { script, scripted } from './script-kit.ts';

// proves: protocol.same-frames, reply.native-answer

/** What clients have seen at the end, by stream. */
function shownBy(frames: readonly Frame[]): ReadonlyMap<string, string> {
  const shown = new Map<string, string>();
  for (const frame of frames) {
    if (frame.kind === 'delta') {
      const name = frame.stream.replace(/^[^.]+/, 'turn');
      shown.set(name, `${shown.get(name) ?? `${frame.marker}: `}${frame.text}`);
    } else if (frame.type === 'stream.reset' && isJsonObject(frame.data)) {
      shown.delete(String(frame.data['stream']).replace(/^[^.]+/, 'turn'));
    }
  }
  return new Map([...shown].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

async function framesOf(protocol: Protocol, replies: readonly Reply[], chunk: number) {
  const agent = { ...scripted.agent, protocol };
  const paced = replies.map((reply) => ({ ...reply, chunk }));
  await using harness = await openHarness(paced, { agent, tools: scripted.tools });
  await harness.say('What is 1 + 2?');
  await harness.closed();
  return await harness.frames();
}

test(
  'people see the same while a script plays, in every protocol and however it is split',
  async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.constantFrom(1, 5, 400), async (replies, chunk) => {
        const expected = shownBy(await framesOf('channels', replies, 24));
        for (const protocol of protocols) {
          expect(shownBy(await framesOf(protocol, replies, chunk)), protocol).toEqual(expected);
        }
      }),
      runs(25),
    );
  },
  patient(60_000),
);

const long = `The sum is three. ${'That follows from counting. '.repeat(12)}`.trim();

test('an answer that streamed is reset when a call follows, and is a remark on the log', async () => {
  const replies: Reply[] = [
    {
      pieces: [
        { kind: 'text', text: long },
        { kind: 'call', call: 'x', name: 'math__add' },
        { kind: 'arguments', call: 'x', text: '{"a":1,"b":2}' },
        { kind: 'call_end', call: 'x' },
      ],
    },
    { answer: 'Three.' },
  ];
  await using harness = await openHarness(replies, { agent: { protocol: 'native-tools' } });
  await harness.say('What is 1 + 2?');
  const blocks = await harness.closed();
  const frames = await harness.frames();
  const answered = frames.findIndex((frame) => frame.kind === 'delta' && frame.marker === 'answer');
  const reset = frames.findIndex((frame) => frame.kind === 'live' && frame.type === 'stream.reset');
  const remark = frames.findIndex(
    (frame) => frame.kind === 'delta' && frame.marker === 'timeline_text',
  );
  expect(answered).toBeGreaterThanOrEqual(0);
  expect(reset).toBeGreaterThan(answered);
  expect(remark).toBeGreaterThan(reset);
  expect(blocks.find(({ type }) => type === 'timeline_text')?.text).toBe(long);
  const answers = blocks.filter(({ type }) => type === 'assistant.completion');
  expect(answers.map(({ text }) => text)).toEqual(['Three.']);
});

test('the first 200 characters of an answer wait, in case a call follows', async () => {
  const call = { tool: 'math.add', input: { a: 1, b: 2 } };
  const replies: Reply[] = [
    {
      pieces: [
        { kind: 'text', text: 'Let me add them. {{hold}}' },
        { kind: 'call', call: 'x', name: 'math__add' },
        { kind: 'arguments', call: 'x', text: JSON.stringify(call.input) },
        { kind: 'call_end', call: 'x' },
      ],
      hold: 'before the call',
    },
    { answer: 'Three.' },
  ];
  await using harness = await openHarness(replies, { agent: { protocol: 'native-tools' } });
  await harness.say('What is 1 + 2?');
  await harness.model.held('before the call');
  expect(await harness.frames()).toEqual([]);
  harness.model.release('before the call');
  await harness.closed();
  const markers = (await harness.frames()).flatMap((frame) =>
    frame.kind === 'delta' ? [frame.marker] : [],
  );
  expect([...new Set(markers)]).toEqual(['timeline_text', 'answer']);
});

test('reasoning of the provider is shown, kept for its family and not written into the next prompt', async () => {
  const replies: Reply[] = [
    {
      pieces: [
        { kind: 'carry', provider: 'anthropic', item: { signature: 'abc' } },
        { kind: 'reasoning', text: 'One and two make three.' },
        { kind: 'call', call: 'x', name: 'math__add' },
        { kind: 'arguments', call: 'x', text: '{"a":1,"b":2}' },
        { kind: 'call_end', call: 'x' },
      ],
    },
    { answer: 'Three.' },
  ];
  await using harness = await openHarness(replies, { agent: { protocol: 'native-tools' } });
  await harness.say('What is 1 + 2?');
  const blocks = await harness.closed();
  const thinking = blocks.find(({ type }) => type === 'react.thinking');
  expect(thinking).toMatchObject({ text: 'One and two make three.', data: { reasoning: true } });
  expect(blocks.find(({ type }) => type === 'model.call')?.data).toMatchObject({
    carry: { family: 'scripted:test' },
  });
  expect(harness.model.requests.at(-1)?.text).not.toContain('One and two make three.');
});
