import { expect, test } from 'vitest';
import type { Reply } from '../../../../../runtime/adapters/models/scripted/reply.ts';
import {
  createScriptedModel,
  type ScriptedControl,
} from '../../../../../runtime/adapters/models/scripted/scripted-model.ts';
import type { Model, PromptMessage } from '../../../../../runtime/engine/ports/model.ts';
import { toCallId, toTurnId } from '../../../../../runtime/timeline/ids.ts';
import { answerOf, ask, request, textOf } from '../ask.ts';

const turn1 = toTurnId('turn_aaaaaaaaaaaaaaaaaaa1');
const turn2 = toTurnId('turn_aaaaaaaaaaaaaaaaaaa2');

function scripted(...replies: Reply[]): Model & ScriptedControl {
  return createScriptedModel(replies, { id: 'scripted:test' });
}

test('a call is a decision, and its program follows in a channel that only its id closes', async () => {
  const model = scripted({
    thinking: 'Look.',
    notes: 'fitting',
    call: { tool: 'exec_tools.execute_code_python', input: { contract: [] } },
    code: 'print("</channel:code>")',
  });
  expect((await answerOf(model, 'hi')).text).toBe(
    [
      '<channel:thinking>Look.</channel:thinking>',
      '<channel:ReactDecisionOutV2>{"action":"call_tool","notes":"fitting","tool_call":{"tool_id":"exec_tools.execute_code_python","params":{"contract":[]}}}</channel:ReactDecisionOutV2>',
      '<channel:code id="c1">print("</channel:code>")</channel:code id="c1">',
    ].join('\n'),
  );
});

test('an answer is a completing decision with followups and output, a canvas before and a summary after it', async () => {
  const model = scripted({
    canvas: { name: 'chart.json', mime: 'application/json', text: '{}' },
    answer: 'Done [[S:1]].',
    followups: ['And search?'],
    output: { verdict: 'ship' },
    summary: 'Goal: know.',
  });
  expect((await answerOf(model, 'hi')).text).toBe(
    [
      '<channel:canvas name="chart.json" mime="application/json">{}</channel:canvas>',
      '<channel:ReactDecisionOutV2>{"action":"complete","notes":"","final_answer":"Done [[S:1]].","suggested_followups":["And search?"],"output":{"verdict":"ship"}}</channel:ReactDecisionOutV2>',
      '<channel:summary>Goal: know.</channel:summary>',
    ].join('\n'),
  );
});

test('text comes in chunks of the size asked for, never in half a character', async () => {
  const { texts } = await answerOf(scripted({ raw: 'a😀😀b', chunk: 2 }), 'hi');
  expect(texts).toEqual(['a😀', '😀', 'b']);
});

test('a held reply stands still after its thinking until it is released', async () => {
  const model = scripted({ thinking: 'A long plan', hold: 'planning', answer: 'Yes.' });
  const { events, ended } = ask(model, 'hi');
  await model.held('planning');
  expect(textOf(events)).toBe('<channel:thinking>A long plan');
  model.release('planning');
  await ended;
  expect(textOf(events)).toContain('"final_answer":"Yes."');
});

test('a held reply that is aborted throws the reason, and the next request gets the next reply', async () => {
  const model = scripted({ thinking: 'A long plan', hold: 'planning' }, { answer: 'Short.' });
  const stop = new AbortController();
  const { ended } = ask(model, 'hi', stop.signal);
  const refused = expect(ended).rejects.toThrow('stop now');
  await model.held('planning');
  stop.abort(new Error('stop now'));
  await refused;
  expect((await answerOf(model, 'hi')).text).toContain('Short.');
});

test('a hold may be written anywhere in the text', async () => {
  const model = scripted({ canvas: '<b>half{{hold}}whole</b>', hold: 'half' });
  model.release('half');
  expect((await answerOf(model, 'hi')).text).toBe(
    '<channel:canvas><b>halfwhole</b></channel:canvas>',
  );
});

test('waiting for a hold that no reply has is refused at once', async () => {
  await expect(scripted({ answer: 'x', hold: 'a' }).held('b')).rejects.toThrow(
    'no reply has hold "b"; known holds: a',
  );
});

// proves: models.scripts
test('running out is a fault that shows the end of what was asked', async () => {
  const model = scripted({ answer: 'One.' });
  await answerOf(model, 'hi');
  expect(model.left).toBe(0);
  await expect(answerOf(model, 'and what is the weather?')).rejects.toThrow(
    /SCRIPT_MISMATCH.*all 1 replies for decision are given.*what is the weather\?/s,
  );
});

test('a reply whose when does not match is a fault, and stays for the request that fits', async () => {
  const model = scripted({ when: '/RAIN/i', answer: 'Wet.' });
  await expect(answerOf(model, 'sun?')).rejects.toThrow(/reply 1 waits for \/RAIN\/i/);
  expect((await answerOf(model, 'rain?')).text).toContain('Wet.');
});

test('a fault quotes what precedes ANNOUNCE, for example the result that a reply waits for', async () => {
  const model = scripted({ when: '2,100', answer: 'It was 2,100.' });
  const request = `[TOOL RESULT c1] ok\n{"total":2101}\n\nANNOUNCE - Round 2/15\n${'x'.repeat(1_000)}`;
  await expect(answerOf(model, request)).rejects.toThrow(
    /reply 1 waits for 2,100;.*"total":2101\}\n$/s,
  );
});

test('each role has its own replies; other roles than decision are answered in bare text', async () => {
  const model = scripted({ answer: 'A.' }, { role: 'summary', summary: 'Short memory.' });
  expect((await answerOf(model, request('x', { role: 'summary' }))).text).toBe('Short memory.');
  expect((await answerOf(model, 'x')).text).toContain('A.');
});

test('a fault is thrown after what the reply said before it', async () => {
  const model = scripted({ thinking: 'Hm.', fault: { code: 'MODEL_OVERLOADED' } });
  const { events, ended } = ask(model, 'x');
  await expect(ended).rejects.toMatchObject({ code: 'MODEL_OVERLOADED' });
  expect(textOf(events)).toBe('<channel:thinking>Hm.</channel:thinking>');
});

test('turns and calls are filled in from the request', async () => {
  const model = scripted({
    call: {
      tool: 'react.read',
      input: { paths: ['fi:{{turn:1}}.user.attachments/a.csv', 'tc:{{turn}}.{{call}}.result'] },
    },
  });
  const { text } = await answerOf(model, `TURN ${turn1} |tc:${turn1}.tc_1.call|TURN ${turn2}`);
  expect(text).toContain(`fi:${turn1}.user.attachments/a.csv`);
  expect(text).toContain(`tc:${turn2}.tc_1.result`);
});

test('a turn that the request does not name is a mismatch', async () => {
  await expect(answerOf(scripted({ answer: '{{turn:2}}' }), `TURN ${turn1}`)).rejects.toThrow(
    '{{turn:2}} names none of 1',
  );
});

test('every conversation may play a script from its start', async () => {
  const model = createScriptedModel(
    { plays: 'per_conversation', replies: [{ answer: 'One.' }, { answer: 'Two.' }] },
    { id: 'scripted:test' },
  );
  const answer = async (conversation: string) =>
    (await answerOf(model, request('TURN t1', { conversation }))).text;
  expect(await answer('conv_a')).toContain('One.');
  expect(await answer('conv_b')).toContain('One.');
  expect(await answer('conv_a')).toContain('Two.');
});

test('what was sent before in the same conversation counts as read from a cache', async () => {
  const model = scripted({ answer: 'a' }, { answer: 'b' }, { answer: 'c' });
  const usage = async (text: string, conversation: string) =>
    (await answerOf(model, request(text, { conversation }))).usage;
  const first = await usage('TURN t1|hello', 'conv_a');
  expect(first).toMatchObject({ cacheReadTokens: 0, cacheWriteTokens: 0 });
  const second = await usage('TURN t1|hello|world', 'conv_a');
  expect(second.cacheReadTokens).toBe(first.inputTokens);
  expect(second.inputTokens).toBe(1);
  expect((await usage('TURN t1|hello', 'conv_b')).cacheReadTokens).toBe(0);
});

test('requests are kept as text with their tools', async () => {
  const model = scripted({ answer: 'a' });
  await answerOf(model, request('only the last hour', { tools: ['metrics.query'] }));
  expect(model.requests).toEqual([
    {
      role: 'decision',
      text: 'You act.\nonly the last hour',
      messages: [{ role: 'user', text: 'only the last hour' }],
      tools: ['metrics.query'],
    },
  ]);
});

test('the messages of a prompt in message form are kept as text, and count for the simulated cache', async () => {
  const model = scripted({ answer: 'a' }, { answer: 'b' });
  const call = toCallId('tc_1');
  const messages: readonly PromptMessage[] = [
    { role: 'user', parts: [{ kind: 'text', text: 'Hello' }] },
    {
      role: 'assistant',
      parts: [
        { kind: 'carry', provider: 'anthropic', item: { signature: 's' } },
        { kind: 'call', call, name: 'math__add', input: { a: 1 } },
      ],
    },
    { role: 'user', parts: [{ kind: 'result', call, ok: true, text: '3' }] },
  ];
  const asked = request('', { parts: [], messages, conversation: 'conv_a' });
  await answerOf(model, asked);
  const { usage } = await answerOf(model, asked);
  expect(usage.inputTokens).toBe(0);
  expect(model.requests[0]?.messages).toEqual([
    { role: 'user', text: 'Hello' },
    { role: 'assistant', text: '[reasoning anthropic]\n[call math__add] {"a":1}' },
    { role: 'user', text: '3' },
  ]);
});
