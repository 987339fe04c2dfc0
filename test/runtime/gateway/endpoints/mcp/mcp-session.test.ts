import { afterEach, expect, test } from 'vitest';
import { eventsOf } from '../events.ts';
import { type McpStage, openMcpStage } from './mcp-kit.ts';

let stage: McpStage | undefined;
afterEach(() => stage?.[Symbol.asyncDispose]());

async function open() {
  stage = await openMcpStage();
  return stage;
}

const restart = { name: 'desk.restart', arguments: {} };

// proves: mcp-server-approval
test.each(['legacy', 'auto'] as const)(
  'a client that can ask its user decides approvals (%s)',
  async (version) => {
    const { connect } = await open();
    const questions: string[] = [];
    const answers = (['accept', 'decline', 'cancel'] as const).map((action) => ({ action }));
    const { client } = await connect({
      version,
      asks: (message) => {
        questions.push(message);
        return answers.shift() ?? { action: 'cancel' };
      },
    });
    const allowed = await client.callTool(restart);
    expect(allowed.content).toEqual([{ type: 'text', text: 'restarted' }]);
    for (const _ of ['decline', 'cancel']) {
      const denied = await client.callTool(restart);
      expect(denied).toMatchObject({ isError: true });
      expect(JSON.stringify(denied.content)).toContain('denied');
    }
    expect(questions).toHaveLength(3);
    expect(questions[0]).toContain('desk.restart');
  },
);

// proves: mcp-server-approval
test.each(['legacy', 'auto'] as const)(
  'a client shows the arguments of a call in the form of its approval, and its user changes them (%s)',
  async (version) => {
    const { connect } = await open();
    const forms: object[] = [];
    const answers = [{}, { count: 3, size: 'large' }, { count: 99 }];
    const { client } = await connect({
      version,
      asks: (_, fields) => {
        forms.push(fields);
        return { action: 'accept', content: answers.shift() ?? {} };
      },
    });
    const order = { name: 'desk.order', arguments: { item: 'gin', notes: [{ text: 'cold' }] } };
    const input = { item: 'gin', count: 1, size: 'small', notes: [{ text: 'cold' }] };
    const asked = await client.callTool(order);
    expect(asked.content).toEqual([{ type: 'text', text: JSON.stringify(input) }]);
    expect(forms[0]).toMatchObject({
      item: { type: 'string', default: 'gin' },
      count: { type: 'integer', maximum: 9, default: 1 },
      size: { type: 'string', enum: ['small', 'large'], default: 'small' },
    });
    expect(forms[0]).not.toHaveProperty('notes');
    const changed = await client.callTool(order);
    const text = JSON.stringify({ ...input, count: 3, size: 'large' });
    expect(changed.content).toEqual([{ type: 'text', text }]);
    const wrong = await client.callTool(order);
    expect(wrong).toMatchObject({ isError: true });
    expect(JSON.stringify(wrong.content)).toContain('invalid_input');
  },
);

// proves: mcp-server-approval
test('a client that cannot ask its user learns from progress what the call waits for', async () => {
  const { connect } = await open();
  const { client } = await connect();
  const stop = new AbortController();
  const news: string[] = [];
  const onprogress = ({ message = '' }) => {
    news.push(message);
    if (message.includes('waits for approval')) stop.abort('seen');
  };
  await expect(client.callTool(restart, { signal: stop.signal, onprogress })).rejects.toThrow(
    'seen',
  );
  expect(news.at(-1)).toContain('desk.restart waits for approval');
});

// proves: mcp-server-session
test('a session that its client ends is not found any more, and its conversation stays', async () => {
  const { connect, runtime } = await open();
  const { client, transport } = await connect();
  const sum = { name: 'math.add', arguments: { a: 1, b: 2 } };
  await client.callTool(sum);
  const { sessionId = '' } = transport;
  await transport.terminateSession();
  const { client: other, transport: second } = await connect();
  expect(second.sessionId).not.toBe(sessionId);
  await other.callTool(sum);
  const again = await fetch(new URL(stage?.url('acme') ?? ''), {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...{ 'mcp-session-id': sessionId, 'x-timeloom-user': 'ann' },
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/list' }),
  });
  expect(again.status).toBe(404);
  await using watcher = runtime.connect({ user: 'ann' });
  const { items: listed } = await watcher.conversations();
  expect(listed.map(({ id }) => id)).toContain(sessionId);
});

// proves: mcp-server-session
test('the stream of a session says that new files are new resources', async () => {
  const { connect, url } = await open();
  const { client, transport } = await connect();
  await client.callTool({ name: 'math.add', arguments: { a: 1, b: 2 } });
  const headers = { accept: 'text/event-stream', 'x-timeloom-user': 'ann' };
  const stop = new AbortController();
  const stream = await fetch(url('acme'), {
    headers: { ...headers, 'mcp-session-id': transport.sessionId ?? '' },
    signal: stop.signal,
  });
  const events = eventsOf(stream);
  // The first comment says that the next change is seen.
  await events.next();
  await client.callTool({ name: 'desk.report', arguments: { title: 'May' } });
  const next = await events.next();
  stop.abort();
  const data = '{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}';
  expect(next).toMatchObject({ value: { data } });
});

// proves: mcp-server-logging
test.each([
  ['debug', ['debug calling desk.report', 'info writing May', 'debug desk.report has finished']],
  ['info', ['info writing May']],
  ['notice', []],
  [undefined, []],
] as const)(
  'a session that asks for log messages of the level %s gets those of its calls',
  async (level, expected) => {
    const { connect } = await open();
    const { client } = await connect();
    const lines: string[] = [];
    client.setNotificationHandler('notifications/message', ({ params }) => {
      lines.push(`${params.level} ${String(params.data)}`);
    });
    if (level !== undefined) await client.setLoggingLevel(level);
    await client.callTool({ name: 'desk.report', arguments: { title: 'May' } });
    expect(lines).toEqual(expected);
  },
);
