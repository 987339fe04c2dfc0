import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createFieldStream,
  type FieldEvent,
} from '../../../../runtime/channels/json/json-stream.ts';

test('strings stream by path, other scalars are complete, containers appear in the paths', () => {
  const stream = createFieldStream();
  expect(stream.push('```json\n{"action": "call')).toEqual([
    { field: 'action', kind: 'text', text: 'call' },
  ]);
  expect(stream.push('_tool", "tool_call": {"params": {"n": [1, {"a": "x"}], "b": tr')).toEqual([
    { field: 'action', kind: 'text', text: '_tool' },
    { field: 'action', kind: 'end', text: '' },
    { field: 'tool_call.params.n.0', kind: 'value', text: '1' },
    { field: 'tool_call.params.n.1.a', kind: 'text', text: 'x' },
    { field: 'tool_call.params.n.1.a', kind: 'end', text: '' },
  ]);
  expect(stream.push('ue}}}\n```')).toEqual([
    { field: 'tool_call.params.b', kind: 'value', text: 'true' },
  ]);
  expect(stream.outcome).toBe('done');
});

test('escapes are decoded across pieces, surrogate pairs stay together, lone halves are replaced', () => {
  const json = '{"a":"\\u00e9\\n\\"\\ud83d\\ude00\\ud83d\\u0041\\ude00 😀"}';
  const expected = 'é\n"😀\ufffdA\ufffd 😀';
  for (let size = 1; size < json.length; size += 1) {
    const events = cut(json, size);
    expect(joined(events)).toEqual({ a: expected });
    expect(events.every(({ text }) => text.isWellFormed())).toBe(true);
  }
});

test('a bracket in the prose before the value is ignored', () => {
  expect(joined(cut('Using [S:1] and {x}: {"a": "b"}', 3))).toEqual({ a: 'b' });
});

test('no event follows a syntax error', () => {
  const stream = createFieldStream();
  expect(stream.push('{"a": "b" "c": "d"}')).toHaveLength(2);
  expect(stream.outcome).toBe('broken');
  expect(stream.push('{"e": "f"}')).toEqual([]);
});

test('a duplicate key is an error, because the first value may have been shown', () => {
  const stream = createFieldStream();
  stream.push('{"a": "b", "a": "c"}');
  expect(stream.outcome).toBe('broken');
});

test('for any object and any split, the strings equal those of JSON.parse', () => {
  const fields = fc.dictionary(fc.string({ maxLength: 4 }), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(fields, fc.integer({ min: 1, max: 9 }), (object, size) => {
      const wanted = Object.fromEntries(Object.entries(object));
      expect(joined(cut(JSON.stringify(object), size))).toEqual(wanted);
    }),
  );
});

function cut(json: string, size: number): FieldEvent[] {
  const stream = createFieldStream();
  const events: FieldEvent[] = [];
  for (let i = 0; i < json.length; i += size) events.push(...stream.push(json.slice(i, i + size)));
  return events;
}

function joined(events: readonly FieldEvent[]): Record<string, string> {
  const fields = new Map<string, string>();
  for (const { field, text } of events) {
    fields.set(field, (fields.get(field) ?? '') + text);
  }
  return Object.fromEntries(fields);
}
