import { expect, test } from 'vitest';
import type { Reply } from '../../../../../runtime/adapters/models/scripted/reply.ts';
import {
  createScriptedModel,
  type ScriptedControl,
} from '../../../../../runtime/adapters/models/scripted/scripted-model.ts';
import type { Model, ModelEvent, ModelRequest } from '../../../../../runtime/engine/ports/model.ts';

const turn1 = 'turn_aaaaaaaaaaaaaaaaaaa1';
const turn2 = 'turn_aaaaaaaaaaaaaaaaaaa2';

function scripted(...replies: Reply[]): Model & ScriptedControl {
  return createScriptedModel(replies, { id: 'scripted:test' });
}

function request(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  const parts = text.split('|').map((part) => ({ kind: 'text' as const, text: part }));
  return {
    role: 'decision',
    system: 'You act.',
    parts,
    maxOutputTokens: 1000,
    temperature: 0,
    ...more,
  };
}

async function ask(
  model: Model,
  what: ModelRequest | string,
  signal = new AbortController().signal,
) {
  const events: ModelEvent[] = [];
  const asked = typeof what === 'string' ? request(what) : what;
  for await (const event of model.stream(asked, { signal })) events.push(event);
  const done = events.at(-1);
  if (done?.kind !== 'done') throw new Error('the stream did not end with done');
  const texts = events.flatMap((event) => (event.kind === 'text' ? [event.text] : []));
  return { text: texts.join(''), texts, ...done };
}

test('a call is a decision, and its program follows in a channel that only its id closes', async () => {
  const model = scripted({
    thinking: 'Look.',
    notes: 'fitting',
    call: { tool: 'exec_tools.execute_code_python', input: { contract: [] } },
    code: 'print("</channel:code>")',
  });
  expect((await ask(model, 'hi')).text).toBe(
    [
      '<channel:thinking>Look.</channel:thinking>',
      '<channel:ReactDecisionOutV2>{"action":"call_tool","notes":"fitting","tool_call":{"tool_id":"exec_tools.execute_code_python","params":{"contract":[]}}}</channel:ReactDecisionOutV2>',
      '<channel:code id="c1">\nprint("</channel:code>")\n</channel:code id="c1">',
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
  expect((await ask(model, 'hi')).text).toBe(
    [
      '<channel:canvas name="chart.json" mime="application/json">{}</channel:canvas>',
      '<channel:ReactDecisionOutV2>{"action":"complete","notes":"","final_answer":"Done [[S:1]].","suggested_followups":["And search?"],"output":{"verdict":"ship"}}</channel:ReactDecisionOutV2>',
      '<channel:summary>Goal: know.</channel:summary>',
    ].join('\n'),
  );
});

test('text comes in chunks of the size asked for, never in half a character', async () => {
  const { texts } = await ask(scripted({ raw: 'a😀😀b', chunk: 2 }), 'hi');
  expect(texts).toEqual(['a😀', '😀', 'b']);
});

test('a held reply stands still after its thinking until it is released', async () => {
  const model = scripted({ thinking: 'A long plan', hold: 'planning', answer: 'Yes.' });
  const seen: string[] = [];
  const reading = (async () => {
    const { signal } = new AbortController();
    for await (const event of model.stream(request('hi'), { signal })) {
      if (event.kind === 'text') seen.push(event.text);
    }
  })();
  await model.held('planning');
  expect(seen.join('')).toBe('<channel:thinking>A long plan');
  model.release('planning');
  await reading;
  expect(seen.join('')).toContain('"final_answer":"Yes."');
});

test('a held reply that is aborted throws the reason, and the next request gets the next reply', async () => {
  const model = scripted({ thinking: 'A long plan', hold: 'planning' }, { answer: 'Short.' });
  const stop = new AbortController();
  const first = ask(model, 'hi', stop.signal);
  const refused = expect(first).rejects.toThrow('stop now');
  await model.held('planning');
  stop.abort(new Error('stop now'));
  await refused;
  expect((await ask(model, 'hi')).text).toContain('Short.');
});

test('a hold may be written anywhere in the text', async () => {
  const model = scripted({ canvas: '<b>half{{hold}}whole</b>', hold: 'half' });
  model.release('half');
  expect((await ask(model, 'hi')).text).toBe('<channel:canvas><b>halfwhole</b></channel:canvas>');
});

test('waiting for a hold that no reply has is refused at once', async () => {
  await expect(scripted({ answer: 'x', hold: 'a' }).held('b')).rejects.toThrow(
    'no reply holds "b"; there are: a',
  );
});

test('running out is a fault that shows the end of what was asked', async () => {
  const model = scripted({ answer: 'One.' });
  await ask(model, 'hi');
  expect(model.left).toBe(0);
  await expect(ask(model, 'and what is the weather?')).rejects.toThrow(
    /SCRIPT_MISMATCH.*all 1 replies for decision are given.*what is the weather\?/s,
  );
});

test('a reply whose when does not match is a fault, and stays for the request that fits', async () => {
  const model = scripted({ when: '/RAIN/i', answer: 'Wet.' });
  await expect(ask(model, 'sun?')).rejects.toThrow(/reply 1 waits for \/RAIN\/i/);
  expect((await ask(model, 'rain?')).text).toContain('Wet.');
});

test('each role has its own replies; other roles than decision are answered in bare text', async () => {
  const model = scripted({ answer: 'A.' }, { role: 'summary', summary: 'Short memory.' });
  expect((await ask(model, request('x', { role: 'summary' }))).text).toBe('Short memory.');
  expect((await ask(model, 'x')).text).toContain('A.');
});

test('a fault is thrown after what the reply said before it', async () => {
  const model = scripted({ thinking: 'Hm.', fault: { code: 'MODEL_OVERLOADED' } });
  const seen: ModelEvent[] = [];
  const reading = (async () => {
    const { signal } = new AbortController();
    for await (const event of model.stream(request('x'), { signal })) seen.push(event);
  })();
  await expect(reading).rejects.toMatchObject({ code: 'MODEL_OVERLOADED' });
  expect(seen).not.toEqual([]);
});

test('turns and calls are filled in from the request', async () => {
  const model = scripted({
    call: {
      tool: 'react.read',
      input: { paths: ['fi:{{turn:1}}.user.attachments/a.csv', 'tc:{{turn}}.{{call}}.result'] },
    },
  });
  const { text } = await ask(model, `TURN ${turn1} |tc:${turn1}.tc_1.call|TURN ${turn2}`);
  expect(text).toContain(`fi:${turn1}.user.attachments/a.csv`);
  expect(text).toContain(`tc:${turn2}.tc_1.result`);
});

test('a turn that the request does not name is a mismatch', async () => {
  await expect(ask(scripted({ answer: '{{turn:2}}' }), `TURN ${turn1}`)).rejects.toThrow(
    '{{turn:2}} names none of 1',
  );
});

test('a script may be played anew by every conversation', async () => {
  const model = createScriptedModel(
    { plays: 'per_conversation', replies: [{ answer: 'One.' }, { answer: 'Two.' }] },
    { id: 'scripted:test' },
  );
  expect((await ask(model, `TURN ${turn1}`)).text).toContain('One.');
  expect((await ask(model, `TURN ${turn2}`)).text).toContain('One.');
  expect((await ask(model, `TURN ${turn1}`)).text).toContain('Two.');
});

test('what was sent before in the same conversation counts as read from a cache', async () => {
  const model = scripted({ answer: 'a' }, { answer: 'b' }, { answer: 'c' });
  const first = (await ask(model, `TURN ${turn1}|hello`)).usage;
  expect(first).toMatchObject({ cacheReadTokens: 0, cacheWriteTokens: 0 });
  const second = (await ask(model, `TURN ${turn1}|hello|world`)).usage;
  expect(second.cacheReadTokens).toBe(first.inputTokens);
  expect(second.inputTokens).toBe(1);
  expect((await ask(model, `TURN ${turn2}|hello`)).usage.cacheReadTokens).toBe(0);
});

test('requests are kept as text with their tools', async () => {
  const model = scripted({ answer: 'a' });
  await ask(model, request('only the last hour', { tools: ['metrics.query'] }));
  expect(model.requests).toEqual([
    { role: 'decision', text: 'You act.\nonly the last hour', tools: ['metrics.query'] },
  ]);
});
