import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ResponseEvents,
  type ResponseOptions,
} from '../../../../../runtime/gateway/projections/openai/response-events.ts';
import { expectGolden } from '../golden-frames.ts';
import { EnvelopeScript } from './envelopes.ts';

const open = (options: ResponseOptions = {}) => new ResponseEvents(options);

function framesOf(script: EnvelopeScript, options: ResponseOptions = {}): readonly string[] {
  const events = open(options);
  return script.sent.flatMap((envelope) => events.take(envelope).map(({ data }) => data));
}

/** A turn whose answer is streamed in these pieces; without pieces, as a later reader gets it. */
function turn(thought: readonly string[], answer: readonly string[], isLive: boolean) {
  const script = new EnvelopeScript().start().round();
  if (isLive) for (const text of thought) script.delta('thinking', text);
  if (isLive) for (const text of answer) script.delta('answer', text);
  const text = answer.join('');
  script.block('react.thinking', { stream: 'turn_a.1.thinking.0', text: thought.join('') });
  return script.answer(text).end({ text });
}

// proves: openai.responses
test('every turn of the corpus has its recorded events', () =>
  expectGolden('openai-responses', () => open()));

// proves: openai.background
test('a reader of the log gets the events and the numbers of the live stream', () => {
  const pieces = fc.array(fc.string({ minLength: 1, maxLength: 30 }), {
    minLength: 1,
    maxLength: 8,
  });
  fc.assert(
    fc.property(pieces, pieces, fc.nat({ max: 40 }), (thought, answer, after) => {
      const live = framesOf(turn(thought, answer, true));
      const later = framesOf(turn(thought, answer, false));
      expect(later).toEqual(live);
      const rest = framesOf(turn(thought, answer, false), { only: { part: 0, after } });
      expect(rest).toEqual(after < live.length - 1 ? live.slice(after + 1) : live.slice(-1));
    }),
  );
});

// proves: openai.replaced
test('an answer that a steer cut short is an incomplete item, in the output only of a turn that ends with it', () => {
  const cut = (isLive: boolean) => {
    const script = new EnvelopeScript().start().round();
    if (isLive) script.delta('answer', 'Half a');
    return script.answer('Half a').block('round.close', { round: 1, outcome: 'interrupted' });
  };
  const steered = (isLive: boolean) => {
    const script = cut(isLive).round();
    if (isLive) script.delta('answer', 'Two.');
    const next = script.answer('Two.').block('round.close', { round: 2, outcome: 'completed' });
    return framesOf(next.end({ text: 'Two.' }));
  };
  const ended: unknown = JSON.parse(steered(true).at(-1) ?? '');
  expect(ended).toMatchObject({
    response: { output: [{ status: 'completed', content: [{ text: 'Two.' }] }] },
  });
  expect(steered(false)).toEqual(steered(true));
  const stopped = framesOf(cut(true).end({ reason: 'interrupted', text: 'Half a' })).at(-1) ?? '';
  const half = { status: 'incomplete', content: [{ text: 'Half a' }] };
  expect(JSON.parse(stopped)).toMatchObject({ response: { status: 'cancelled', output: [half] } });
});

test('a text that the turn took back is an incomplete item and not in the output', () => {
  const script = new EnvelopeScript().start().round().delta('answer', 'It is 41');
  script.reset('turn_a.1.answer.0').round().delta('answer', 'No, 42.').answer('No, 42.');
  const frames = framesOf(script.end({ text: 'No, 42.' }));
  const done = frames.filter((data) => data.includes('"response.output_item.done"'));
  expect(done.map((data) => JSON.parse(data).item.status)).toEqual(['incomplete', 'completed']);
  expect(JSON.parse(frames.at(-1) ?? '').response.output).toHaveLength(1);
});

// proves: openai.searches
test('searches are items in the order in which they began, and one without a result has failed', () => {
  const search = (call: string, query: string) => ({ call, tool: 'web.search', input: { query } });
  const [one, two, three] = [search('a', 'looms'), search('b', 'yarn'), search('c', 'silk')];
  const script = new EnvelopeScript().start().round();
  for (const each of [one, two, three]) script.block('chat.tool', { ...each, state: 'running' });
  const found = { ok: true, ret: { results: [] } };
  script.block('chat.tool', { ...two, state: 'done', result: found });
  const error = { code: 'busy', message: 'try later' };
  script.block('chat.tool', { ...one, state: 'done', result: { ok: false, error } });
  const frames = framesOf(script.end({ reason: 'interrupted' }));
  const ended: unknown = JSON.parse(frames.at(-1) ?? '');
  expect(ended).toMatchObject({
    response: {
      output: [
        { id: 'ws_a', status: 'failed', action: { type: 'search', query: 'looms' } },
        { id: 'ws_b', status: 'completed', action: { type: 'search', query: 'yarn' } },
        { id: 'ws_c', status: 'failed', action: { type: 'search', query: 'silk' } },
      ],
    },
  });
  expect(JSON.parse(frames[0] ?? '').response.output).toEqual([]);
});
