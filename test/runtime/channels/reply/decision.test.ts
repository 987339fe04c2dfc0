import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDecision, repairTexts } from '../../../../runtime/channels/reply/decision.ts';
import { written } from './replies.ts';

// proves: channels.decision

const decisionIn = (text: string, options?: Parameters<typeof parseDecision>[1]) =>
  parseDecision(written(text), options);

const call = { action: 'call_tool', notes: 'n', tool_call: { tool_id: 'a.b', params: { x: 1 } } };

test('a tool call and an answer are read, with defaults for missing fields', () => {
  expect(decisionIn(JSON.stringify(call))).toEqual({
    ok: true,
    decision: { ...call, final_answer: null, suggested_followups: null },
    repairs: [],
  });
  expect(
    decisionIn('```json\n{"action":"complete","final_answer":"A","output":{"a":[1]}}\n```'),
  ).toEqual({
    ok: true,
    decision: {
      action: 'complete',
      notes: '',
      tool_call: null,
      final_answer: 'A',
      suggested_followups: null,
      output: { a: [1] },
    },
    repairs: [],
  });
});

test.each([
  ['trailing_comma', '{"action":"exit","final_answer":"A","suggested_followups":["x",],}'],
  ['raw_control_character', '{"action":"exit","final_answer":"A\nB"}'],
  ['unescaped_quote', '{"action":"exit","notes":null,"final_answer":"A "b" c"}'],
  ['text_around', 'Here {it} is: {"action":"exit","final_answer":"A"}'],
  ['text_around', '{"action":"exit","final_answer":"A"} I hope that helps'],
  ['missing_bracket', '{"action":"call_tool","tool_call":{"tool_id":"a.b","params":{"x":"y"}}'],
  ['params_as_text', '{"action":"call_tool","tool_call":{"tool_id":"a.b","params":"{\\"x\\":1}"}}'],
  ['tool_call_with_final_answer', JSON.stringify({ ...call, final_answer: 'A' })],
  ['final_answer_with_notes', '{"action":"complete","final_answer":"A","notes":"n"}'],
])('%s is repaired and reported: %s', (code, text) => {
  const parsed = decisionIn(text);
  expect(parsed).toMatchObject({ ok: true, repairs: [{ code }] });
});

// proves: reply.followups
test.each([
  ['["x", 3, "y"]', ['x', 'y']],
  ['["x", null, {"text": "y"}]', ['x']],
  ['[" ", "x"]', ['x']],
  ['[3]', null],
  ['{"a": 1}', null],
  ['7', null],
  ['"And with tax?"', ['And with tax?']],
])('of the followups %s those that are text are kept, and so is the answer', (list, kept) => {
  const parsed = decisionIn(
    `{"action":"complete","final_answer":"A","suggested_followups":${list}}`,
  );
  expect(parsed).toMatchObject({
    ok: true,
    decision: { final_answer: 'A', suggested_followups: kept },
    repairs: [{ code: 'followups_not_text' }],
  });
});

test.each([
  ['action_schema_error', ''],
  ['action_schema_error', 'I will search now'],
  ['action_schema_error', '{"action": 3}'],
  ['action_schema_error', '{"action":"complete" "final_answer":"A"}'],
  ['action_schema_error', '[{"action":"complete","final_answer":"A"}]'],
  ['action_schema_error', '{"action":"call_tool","tool_call":{"tool_id":"a.b","params":[1]}}'],
  ['multiple_decision_objects', `${JSON.stringify(call)}\n${JSON.stringify(call)}`],
  ['truncated_action', '{"action":"complete","final_answer":"A'],
  ['invalid_action', '{"action":"search"}'],
  ['missing_tool_id', '{"action":"call_tool","notes":"n"}'],
  ['final_answer_required', '{"action":"complete","final_answer":" "}'],
  ['final_answer_with_tool_call', JSON.stringify({ ...call, action: 'exit', final_answer: 'A' })],
])('%s: %s', (code, text) => {
  expect(decisionIn(text)).toMatchObject({ ok: false, violation: { code } });
});

// proves: reply.quotes
test.each([
  ['say "hi" now', 'say "hi" now'],
  ['"A", he said', '"A", he said'],
  ['it was 5\\" and 6" wide', 'it was 5" and 6" wide'],
  ['""', '""'],
  ['a "b"', 'a "b"'],
  ['a "b",\\nc', 'a "b",\nc'],
])('quotes in text for the user need no escape: %s', (written, read) => {
  for (const rest of ['}', ' , "suggested_followups": ["x"] }', ',"suggested_followups":null}']) {
    const parsed = decisionIn(`{"action":"complete","final_answer":"${written}"${rest}`);
    expect(parsed).toMatchObject({ ok: true, decision: { final_answer: read } });
    expect(parsed.ok && parsed.repairs.map(({ code }) => code)).toEqual(['unescaped_quote']);
  }
});

test('parameters are never guessed: an unescaped quote in params is refused', () => {
  const text =
    '{"action":"call_tool","notes":"n","tool_call":{"tool_id":"a.b","params":{"final_answer":"say "hi" now"}}}';
  expect(refusal(text)).toContain('escape a quote inside a string');
});

test.each([
  ["{'action': 'call_tool', 'notes': 'n'}", /write keys and strings in double quotes/],
  ['{"action":"weather.profile","params":{}}', /"tool_call":\{"tool_id":"weather\.profile"/],
  [
    '{"action":"call_tool","tool_call":{"name":"a.b","arguments":{}}}',
    /"tool_call":\{"tool_id":"alias\.name","params":/,
  ],
])('the notice for %s shows what to write', (text, says) => {
  expect(refusal(text)).toMatch(says);
});

test('brackets are added only if the channel was closed: a cut-off call does not run', () => {
  const text = '{"action":"call_tool","tool_call":{"tool_id":"a.b","params":{"x":"y"}';
  expect(decisionIn(text, { closed: false })).toMatchObject({
    ok: false,
    violation: { code: 'truncated_action' },
  });
});

test('params are kept as written, with any keys', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (params) => {
      const text = JSON.stringify({ ...call, tool_call: { tool_id: 'a.b', params } });
      const parsed = decisionIn(text);
      const read = parsed.ok ? parsed.decision.tool_call?.params : undefined;
      expect(JSON.stringify(read)).toBe(JSON.stringify(JSON.parse(text).tool_call.params));
    }),
  );
  const parsed = decisionIn(
    '{"action":"call_tool","tool_call":{"tool_id":"a","params":{"__proto__":{"x":1}}}}',
  );
  expect(JSON.stringify(parsed)).toContain('"__proto__":{"x":1}');
});

// proves: channels.digits
test.each([
  ['tool_call.params.ids.1', '{"ids":[7,12345678901234567890]}'],
  ['tool_call.params.x', '{"x":-9007199254740993}'],
  ['tool_call.params.x', '{"x":1e999}'],
  ['tool_call.params.a.id', JSON.stringify('{"a":{"id":9007199254740993}}')],
])('a number that would lose digits at %s is rejected: %s', (place, params) => {
  const text = `{"action":"call_tool","tool_call":{"tool_id":"a.b","params":${params}}}`;
  const parsed = decisionIn(text);
  expect(parsed).toMatchObject({
    ok: false,
    violation: { code: 'action_schema_error', detail: { place } },
  });
  expect(!parsed.ok && parsed.violation.message).toContain('as text, in quotes');
});

test('every accepted number keeps its written value', () => {
  const params = fc.dictionary(
    fc.string(),
    fc.oneof(fc.maxSafeInteger(), fc.double({ noDefaultInfinity: true, noNaN: true })),
  );
  fc.assert(
    fc.property(params, (x) => {
      const decided = { ...call, tool_call: { tool_id: 'a.b', params: { x } } };
      const parsed = decisionIn(JSON.stringify(decided));
      const read = parsed.ok ? parsed.decision.tool_call?.params : undefined;
      expect(JSON.stringify(read)).toBe(JSON.stringify({ x }));
    }),
  );
});

function refusal(text: string): string {
  const parsed = decisionIn(text);
  return parsed.ok ? '' : parsed.violation.message;
}

test('the notice of a repair says that the decision was carried out, and what to write next time', () => {
  for (const text of Object.values(repairTexts)) {
    expect(text).toMatch(/the decision was carried out|was shown|was called/);
    expect(text).not.toMatch(/(^|; |\. )(?:[Ww]rite|[Aa]nswer|[Pp]ut) /);
  }
});

test('a key that stands twice is named', () => {
  const parsed = decisionIn(
    '{"action":"call_tool","tool_call":{"tool_id":"a.b","params":{"x":1,"x":2}}}',
  );
  expect(!parsed.ok && parsed.violation.message).toContain(
    'the key “x” stands twice in one object; keep one',
  );
});
