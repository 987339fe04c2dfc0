import { expect, test } from 'vitest';
import type { ChatEvent } from '../../../runtime/client/api/types.ts';
import { DeltaStreams } from '../../../runtime/client/events/delta-streams.ts';
import { toEvent } from '../../../runtime/client/events/to-event.ts';

const stream = 'turn_1.1.answer.0';
const head = {
  v: 1,
  ...{ cursor: 'c', seq: 3, ts: '', conversation_id: 'conv_1', turn_id: 'turn_1' },
  event: { agent: 'main', step: 'answer', status: 'running' },
} as const;

function piece(offset: number, text: string, completed = false): ChatEvent {
  const delta = {
    channel: 'answer',
    instance: 0,
    stream,
    marker: 'answer',
    text,
    offset,
    completed,
  };
  return toEvent({ ...head, type: 'chat.delta', delta });
}

function block(text: string): ChatEvent {
  return toEvent({ ...head, type: 'chat.completion', data: { stream, text } });
}

/** What a reader has that starts again at offset 0. */
function textOf(events: readonly ChatEvent[]): string {
  const streams = new DeltaStreams();
  return events
    .map((event) => streams.next(event))
    .reduce((text, delta) => {
      if (!delta) return text;
      return delta.offset === 0 ? delta.text : text + delta.text;
    }, '');
}

// proves: client.lost-frames
test('a piece that the bus lost is made up for when the stream is finished', () => {
  const whole = 'One two three.';
  const lost = [piece(0, 'One '), piece(8, 'three.'), piece(14, '', true)];
  expect(textOf(lost)).toBe('One ');
  expect(textOf([...lost, block(whole)])).toBe(whole);
});

test('a stream whose first piece was lost is sent whole when it is finished', () => {
  const events = [piece(4, 'two three.'), piece(14, '', true), block('One two three.')];
  expect(textOf(events)).toBe('One two three.');
});

test('a stream whose last piece says that it is complete is not sent again', () => {
  const streams = new DeltaStreams();
  for (const event of [piece(0, 'One [[S:1]]'), piece(11, '', true)]) streams.next(event);
  expect(streams.next(block('One [1](https://a.example)'))).toBeUndefined();
});
