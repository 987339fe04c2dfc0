import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Inspected, openInspected } from './inspect-kit.ts';

let inspected: Inspected;
beforeAll(async () => {
  inspected = await openInspected();
});
afterAll(() => inspected[Symbol.asyncDispose]());

// proves: workbench.prompt
test('the prompt of a round is what was sent, and each passage names its block', async () => {
  const { get } = inspected;
  const { turns } = (await get('rounds')).body;
  expect(turns).toMatchObject([
    {
      name: 't1',
      prompt: 'When did the bridge open?',
      reason: 'completed',
      answers: [{ block: 12, text: 'The bridge opened in 1874.' }],
      rounds: [
        { seq: 3, steps: [{ kind: 'model' }, { kind: 'tool', name: 'desk.look', ok: true }] },
        { seq: 10, outcome: 'answered', miss: { cause: 'tail' } },
      ],
    },
    { name: 't2', rounds: [{ seq: 17 }] },
  ]);
  const { body } = await get('rounds/10/prompt');
  expect(body).toMatchObject({ seq: 10, round: 2, as_of: 9, same_as_sent: true });
  const parts = body['parts'] as readonly Part[];
  expect(parts.map((part) => part.in)).toEqual(['system', 'timeline', 'timeline', 'tail']);
  const passages = parts.flatMap(({ text, origins }) =>
    origins.map(({ from, to, block }) => ({ block, text: text.slice(from, to) })),
  );
  expect(passages.find(({ text }) => text.includes('opened in 1874'))?.block).toBe(8);
});

type Part = {
  readonly in: string;
  readonly text: string;
  readonly origins: readonly {
    readonly from: number;
    readonly to: number;
    readonly block: number;
  }[];
};

test('the reply of a round is the text of the model, cut at its channels', async () => {
  const { body } = await inspected.get('rounds/3/reply');
  const stretches = body['stretches'] as readonly { kind: string; name: string; text: string }[];
  const channels = stretches.filter(({ kind }) => kind === 'channel');
  expect(channels.map(({ name }) => name)).toEqual(['thinking', 'ReactDecisionOutV2']);
  expect(channels[0]?.text).toBe('I look for the bridge.');
  expect(stretches.map(({ text }) => text).join('')).toContain('<channel:thinking>I look');
  expect(body).toMatchObject({
    reply: 6,
    facts: { role: 'decision', finish: 'stop' },
    notices: [],
  });
});

test('the ledger explains every input token that was not read from a cache', async () => {
  const calls = (await inspected.get('cache')).body['calls'] as readonly {
    missed_tokens: number;
    misses: readonly { tokens: number }[];
  }[];
  expect(calls).toHaveLength(3);
  for (const { missed_tokens: missed, misses } of calls)
    expect(misses.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(missed);
  const edit = async (text: string) =>
    await inspected.get('cache/what-if', { method: 'POST', body: JSON.stringify({ edit: text }) });
  expect((await edit('hide:tc:t1.c1.result')).body).toMatchObject({ changes: true });
  expect((await edit('hide:tc:t1.c9.result')).body).toMatchObject({ changes: false });
  expect(await edit('explode')).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_input' } },
  });
});

test('blocks are found by type, author, turn and text, page by page', async () => {
  const seqs = async (query: string) => {
    const { body } = await inspected.get(`blocks?${query}`);
    const items = body['items'] as readonly { seq: number }[];
    return { seqs: items.map(({ seq }) => seq), next: body['next'], total: body['total'] };
  };
  expect(await seqs('type=react.tool')).toEqual({ seqs: [7, 8], next: null, total: 2 });
  expect(await seqs('author=user')).toMatchObject({ seqs: [2, 16] });
  expect(await seqs('q=OPENED in 1874&type=assistant.completion')).toMatchObject({ seqs: [12] });
  expect(await seqs('limit=2&after=1')).toEqual({ seqs: [2, 3], next: 3, total: 20 });
  expect((await inspected.get('blocks/8')).body).toMatchObject({
    short_path: 'tc:t1.c1.result',
    block: { seq: 8, data: { ok: true, ret: { found: 'The bridge opened in 1874.' } } },
  });
});

// proves: workbench.trace
test('the trace has a span for each turn, round, model call and tool, also in the JSON of OTLP', async () => {
  const spans = (await inspected.get('trace')).body['spans'] as readonly {
    id: string;
    parent?: string;
    kind: string;
  }[];
  expect(spans.map(({ id }) => id)).toEqual(
    'turn.1 round.3 model.6 tool.7 round.10 model.11 turn.15 round.17 model.18'.split(' '),
  );
  const ids = new Set(spans.map(({ id }) => id));
  for (const { parent, kind } of spans)
    expect(parent === undefined ? kind : ids.has(parent)).toBe(
      parent === undefined ? 'turn' : true,
    );
  const otlp = (await inspected.get('trace?format=otlp')).body;
  const [resource] = otlp['resourceSpans'] as readonly Resource[];
  const exported = resource?.scopeSpans[0]?.spans ?? [];
  expect(exported.slice(0, 3)).toMatchObject([
    { name: 'invoke_agent desk/main', kind: 1 },
    { name: 'round 1' },
    { name: 'chat scripted:test', kind: 3 },
  ]);
  expect((await inspected.get('trace?format=otlp')).body).toEqual(otlp);
});

type Resource = { readonly scopeSpans: readonly { readonly spans: readonly object[] }[] };

// proves: workbench.checks
test.each([
  ['verify', { blocks: 21, problems: [] }],
  ['replay', { prompts: 3, replies: 3, unrecorded: 0 }],
])('%s reports its progress and its result', async (check, result) => {
  const url = new URL(`/inspect/dev/dev/${inspected.conversation}/${check}`, inspected.runtime.url);
  const headers = { 'x-timeloom-user': 'test' };
  const text = await (await fetch(url, { method: 'POST', headers })).text();
  const events = text
    .trim()
    .split('\n\n')
    .map((event) => /^event: (\w+)\ndata: (.*)$/s.exec(event)?.slice(1) ?? []);
  expect(events.at(-1)?.[0]).toBe('done');
  expect(JSON.parse(events.at(-1)?.[1] ?? '')).toEqual(result);
  expect(events[0]?.[0]).toBe('progress');
});

test('usage, forks and conversations are listed', async () => {
  const { get, conversation, runtime } = inspected;
  expect((await get('/usage?by=agent')).body).toMatchObject({
    items: [{ key: 'desk/main', calls: 3 }],
  });
  const fork = new URL(`/conversations/dev/dev/${conversation}/fork`, runtime.url);
  const headers = { 'x-timeloom-user': 'test', 'content-type': 'application/json' };
  await fetch(fork, { method: 'POST', headers, body: '{"at":14}' });
  expect((await get('forks')).body).toMatchObject({
    items: [{ forked_from: { conversation_id: conversation, seq: 14 }, head: 14 }],
  });
  expect((await get('/conversations')).body['items']).toHaveLength(2);
});

// proves: workbench.feedback
test('the feedback of a user is at the turn and in the list of ratings, until it is taken back', async () => {
  const { get, conversation, runtime } = inspected;
  const [{ turn } = { turn: '' }] = (await get('rounds')).body['turns'] as readonly {
    turn: string;
  }[];
  const rate = async (reaction: string | null) => {
    const path = `/conversations/dev/dev/${conversation}/turns/${turn}/feedback`;
    const headers = { 'x-timeloom-user': 'test', 'content-type': 'application/json' };
    const body = JSON.stringify({ reaction, text: 'Wrong year.' });
    await fetch(new URL(path, runtime.url), { method: 'POST', headers, body });
    return ((await get('rounds')).body['turns'] as readonly object[])[0];
  };
  expect(await rate('not_ok')).toMatchObject({
    feedback: { reaction: 'not_ok', text: 'Wrong year.' },
  });
  const texts = { prompt: 'When did the bridge open?', answer: 'The bridge opened in 1874.' };
  const rating = { conversation_id: conversation, turn, reaction: 'not_ok', text: 'Wrong year.' };
  expect((await get('/ratings')).body['items']).toMatchObject([{ ...rating, ...texts }]);
  expect((await get('/ratings?reaction=ok')).body['items']).toEqual([]);
  expect(await rate(null)).not.toHaveProperty('feedback');
  expect((await get('/ratings')).body['items']).toEqual([]);
});

// proves: workbench.try
test('agents are listed with their tools, and a tool can be called without a model', async () => {
  const { get, runtime } = inspected;
  const { items } = (await get('/agents')).body;
  const parameters = { properties: { what: { type: 'string' } }, required: ['what'] };
  expect(items).toMatchObject([{ id: 'desk', agents: [{ id: 'main', budgets: { rounds: 15 } }] }]);
  const { tools } = (
    items as readonly { agents: readonly { tools: readonly { id: string }[] }[] }[]
  )[0]?.agents[0] ?? { tools: [] };
  expect(tools.find(({ id }) => id === 'desk.look')).toMatchObject({ parameters, can_try: true });
  const attempt = async (tool: string, input: object) =>
    await get(`/tools/${tool}/try`, {
      method: 'POST',
      body: JSON.stringify({ bundle: 'desk', input }),
    });
  const { status, body } = await attempt('desk.look', { what: 'pier' });
  expect(status).toBe(202);
  const turn = runtime.connect({ user: 'test' }).conversation(String(body['conversation_id']));
  for await (const { type } of turn.events()) if (type === 'chat.complete') break;
  const tried = (await get(`/${String(body['conversation_id'])}/blocks?type=react.tool.result`))
    .body;
  expect(tried).toMatchObject({
    items: [{ summary: 'ok · {"found":"The pier opened in 1874."}' }],
  });
  expect(await attempt('desk.fly', {})).toMatchObject({ status: 404 });
  expect(await attempt('react.plan', {})).toMatchObject({ status: 400 });
});

test.each([
  ['rounds/4/prompt', 404, 'not_found'],
  ['rounds/x/prompt', 400, 'invalid_input'],
  ['blocks/99', 404, 'not_found'],
  ['blocks?limit=99999', 400, 'invalid_input'],
  ['/conv_none/rounds', 404, 'not_found'],
])('%s is refused with %i', async (path, status, code) => {
  expect(await inspected.get(path)).toMatchObject({ status, body: { error: { code } } });
});

// proves: workbench.search
test('a list that is searched says where it was said', async () => {
  const { body } = await inspected.get('/conversations?q=tunn%20older');
  const passage = {
    text: 'The tunnel is older.',
    marks: [
      { from: 4, to: 10 },
      { from: 14, to: 19 },
    ],
  };
  expect(body['items']).toMatchObject([{ id: inspected.conversation, passage }]);
  const other = await inspected.get('/conversations?q=viaduct');
  expect(other.body['items']).toEqual([]);
});
