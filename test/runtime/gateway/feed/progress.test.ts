import { expect, test } from 'vitest';
import type { Json } from '../../../../runtime/base/json.ts';
import type { Frame } from '../../../../runtime/engine/ports/bus.ts';
import { EnvelopeEncoder } from '../../../../runtime/gateway/feed/envelope-encoder.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { toCallId, toSeq, toTurnId } from '../../../../runtime/timeline/ids.ts';

// proves: wire.progress-once

const at = '2026-01-01T00:00:00.000Z';
const place = { turn: toTurnId('turn_a'), round: 1, after: toSeq(2), fence: 1 };

function block(seq: number, type: string, data: Json): Block {
  const call = type.startsWith('react.tool') ? { call: toCallId('tc_1') } : {};
  const of = {
    conversation: 'conv_1',
    seq: toSeq(seq),
    turn: toTurnId('turn_a'),
    at,
    author: 'tool' as const,
    meta: {},
  };
  return { ...of, ...call, type, text: `step ${seq}`, data };
}

function frame(number: number, n: number): Frame {
  const data = { call: toCallId('tc_1'), n, text: `live ${n}` };
  return { ...place, kind: 'live', number, type: 'chat.tool.progress', data };
}

const opening = [
  block(1, 'turn.open', { text: 'x' }),
  block(2, 'react.tool.call', { tool: 'a.b', input: {} }),
];
const kept = [block(3, 'react.tool.progress', { n: 1 }), block(4, 'react.tool.progress', { n: 2 })];

function tell(frames: readonly Frame[]): readonly (Json | undefined)[] {
  return steps(frames, kept).map((data) => data?.['text']);
}

function steps(frames: readonly Frame[], blocks: readonly Block[]) {
  const narrator = new EnvelopeEncoder('conv_1', {
    since: 1,
    seq: toSeq(0),
    index: 0,
    fence: 0,
    number: 0,
  });
  const envelopes = [
    ...opening.flatMap((each) => narrator.block(each)),
    ...frames.flatMap((each) => narrator.frame(each)),
    ...blocks.flatMap((each) => narrator.block(each)),
  ];
  return envelopes.flatMap(({ type, data }) => (type === 'chat.tool.progress' ? [data] : []));
}

test('a progress step is sent once: live, or by its block if the frame was missed', () => {
  expect(tell([frame(1, 1), frame(2, 2)])).toEqual(['live 1', 'live 2']);
  expect(tell([frame(2, 2)])).toEqual(['live 2', 'step 3']);
  expect(tell([])).toEqual(['step 3', 'step 4']);
});

test('a step says the same, whether it is sent from its frame or from its block', () => {
  const facts = { n: 1, fraction: 0.5, data: { rows: 3 }, append: true };
  const data = { call: toCallId('tc_1'), text: 'step 3', ...facts };
  const live: Frame = { ...place, kind: 'live', number: 1, type: 'chat.tool.progress', data };
  const blocks = [block(3, 'react.tool.progress', facts)];
  const said = { ...data, tool: 'a.b' };
  expect(steps([live], blocks)).toEqual([said]);
  expect(steps([], blocks)).toEqual([said]);
  const { text: _, ...silent } = block(3, 'react.tool.progress', { n: 1 });
  expect(steps([], [silent])).toEqual([{ call: toCallId('tc_1'), tool: 'a.b', n: 1 }]);
});
