import { expect, test } from 'vitest';
import { z } from 'zod';
import { packetBytesMax } from '../../../../runtime/gateway/input/limits.ts';
import { call, issuer, withIssuer } from './jwt-stage.ts';

withIssuer();

/** What every endpoint is sent, in the words of its protocol. */
type Said = { readonly id: string; readonly text: string; readonly agent: string };

type Endpoint = {
  readonly path: (agent: string) => string;
  readonly body: (said: Said) => object;
  /** Of an error. It transforms the response to the code of ours that it carries. */
  readonly error: z.ZodType<string>;
  /** JSON-RPC answers requests that it has read with 200. */
  readonly isRpc?: boolean;
};

const Rpc = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number(), z.null()]),
    error: z.object({
      code: z.int().max(-32_000),
      message: z.string(),
      data: z.looseObject({ code: z.string() }),
    }),
  })
  .transform(({ error }) => error.data.code);
const OpenAi = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      code: z.string(),
      param: z.string().nullable(),
    }),
  })
  .transform(({ error }) => ourCodes[error.code] ?? error.code);
/** The words of OpenAI for codes of ours. */
const ourCodes: Readonly<Record<string, string>> = {
  invalid_api_key: 'unauthenticated',
  invalid_value: 'invalid_input',
  model_not_found: 'not_found',
};

const endpoints: Readonly<Record<string, Endpoint>> = {
  messages: {
    path: () => '/api/chat/dev/dev/messages',
    body: ({ id, text, agent }) => ({
      ...{ conversation_id: 'conv_ours', message_id: id, text },
      ...{ bundle_id: 'desk', agent_id: agent },
    }),
    error: z
      .looseObject({ ok: z.literal(false), error: z.looseObject({ code: z.string() }) })
      .transform(({ error }) => error.code),
  },
  'AI SDK': {
    path: (agent) => `/api/ai/dev/dev/desk/${agent}`,
    body: ({ id, text }) => ({
      id: 'conv_ai',
      message: { id, role: 'user', parts: [{ type: 'text', text }] },
    }),
    error: z
      .object({ type: z.literal('error'), errorText: z.string(), code: z.string() })
      .transform(({ code }) => code),
  },
  'AG-UI': {
    path: (agent) => `/api/ag-ui/dev/dev/desk/${agent}`,
    body: ({ id, text }) => ({
      ...{ threadId: 'conv_agui', runId: 'run_1', state: {}, tools: [], context: [] },
      messages: [{ id, role: 'user', content: text }],
    }),
    error: z
      .object({ type: z.literal('RUN_ERROR'), message: z.string(), code: z.string() })
      .transform(({ code }) => code),
  },
  'Chat Completions': {
    path: () => '/api/openai/dev/dev/v1/chat/completions',
    body: ({ text, agent }) => ({
      ...{ model: `desk/${agent}`, stream: true },
      messages: [{ role: 'user', content: text }],
    }),
    error: OpenAi,
  },
  Responses: {
    path: () => '/api/openai/dev/dev/v1/responses',
    body: ({ text, agent }) => ({ model: `desk/${agent}`, stream: true, input: text }),
    error: OpenAi,
  },
  LangGraph: {
    path: () => '/api/langgraph/dev/dev/threads/conv_graph/runs',
    body: ({ id, text, agent }) => ({
      assistant_id: `desk/${agent}`,
      input: { messages: [{ type: 'human', content: text, id }] },
    }),
    error: z.object({ detail: z.string(), code: z.string() }).transform(({ code }) => code),
  },
  A2A: {
    path: (agent) => `/api/a2a/dev/dev/desk/${agent}`,
    body: ({ id, text }) => ({
      ...{ jsonrpc: '2.0', id: 1, method: 'SendMessage' },
      params: {
        configuration: { returnImmediately: true },
        message: { messageId: id, contextId: 'conv_a2a', role: 'ROLE_USER', parts: [{ text }] },
      },
    }),
    error: Rpc,
    isRpc: true,
  },
};
/** Refused before an endpoint is looked for; with a token there is none in this bundle. */
const mcp: Endpoint = {
  path: () => '/api/bundles/dev/dev/desk/mcp/desk',
  body: () => ({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  error: Rpc,
};

type Sending = {
  readonly token?: string;
  readonly said?: Partial<Said>;
  readonly body?: string;
  readonly change?: (path: string) => string;
};

async function send(
  { path, body: toBody }: Endpoint,
  { token, said = {}, body, change = (one) => one }: Sending,
): Promise<Response> {
  const whole = { id: 'm1', text: 'Hi', agent: 'main', ...said };
  const headers = { 'content-type': 'application/json', 'idempotency-key': whole.id };
  const init = { method: 'POST', body: body ?? JSON.stringify(toBody(whole)), headers };
  return call(change(path(whole.agent)), init, token);
}

/** The status, and the code in an error of the protocol. */
async function refusalOf(endpoint: Endpoint, sending: Sending) {
  const answer = await send(endpoint, sending);
  return [answer.status, endpoint.error.parse(await answer.json())];
}

const all = Object.entries({ ...endpoints, MCP: mcp });
const each = Object.entries(endpoints);

// proves: endpoints.contract
test.each(all)('%s: no token, a wrong one, and one for another tenant', async (_, endpoint) => {
  const other = await issuer.token({ sub: 'ann', tenant: 'other' });
  const token = await issuer.token({ sub: 'ann' });
  const change = (path: string) => path.replace('/dev/dev/', '/other/dev/');
  const [without, wrong] = [await send(endpoint, {}), await send(endpoint, { token: 'x.y.z' })];
  for (const answer of [without, wrong]) {
    const challenge = answer.headers.get('www-authenticate');
    expect([answer.status, challenge?.split(' ')[0]]).toEqual([401, 'Bearer']);
    expect(endpoint.error.parse(await answer.json())).toBe('unauthenticated');
  }
  expect(await refusalOf(endpoint, { token: other })).toEqual([403, 'forbidden']);
  if (endpoint.path('main').includes('/dev/dev/')) {
    expect(await refusalOf(endpoint, { token, change })).toEqual([403, 'forbidden']);
  }
});

// proves: endpoints.contract
test.each(each)('%s: a body that is too large, and one that is not JSON', async (_, endpoint) => {
  const token = await issuer.token({ sub: 'ann' });
  const large = { text: 'x'.repeat(packetBytesMax) };
  expect(await refusalOf(endpoint, { token, said: large })).toEqual([413, 'attachment_refused']);
  const broken = endpoint.isRpc ? [200, 'not_json'] : [400, 'invalid_input'];
  expect(await refusalOf(endpoint, { token, body: '{nope' })).toEqual(broken);
});

// proves: endpoints.contract
test.each(each)('%s: an agent that does not exist', async (_, endpoint) => {
  const token = await issuer.token({ sub: 'ann' });
  const said = { agent: 'none' };
  const status = endpoint.isRpc ? 200 : 404;
  expect(await refusalOf(endpoint, { token, said })).toEqual([status, 'not_found']);
});

// proves: endpoints.contract
test.each(each)(
  '%s: a message twice is one, and its id for another message is refused',
  async (_, endpoint) => {
    const token = await issuer.token({ sub: 'ann' });
    for (const _time of ['first', 'again']) {
      const answer = await send(endpoint, { token });
      expect(answer.ok).toBe(true);
      await answer.body?.cancel();
    }
    const listed: unknown = await (await call('/conversations/dev/dev', {}, token)).json();
    // The opening of its turn, and the message.
    expect(listed).toMatchObject({ items: [{ head: 2 }] });
    const status = endpoint.isRpc ? 200 : 409;
    const said = { text: 'Something else' };
    expect(await refusalOf(endpoint, { token, said })).toEqual([status, 'conflict']);
  },
);

// proves: endpoints.contract
test('a stream in the words of an unknown protocol is refused', async () => {
  const token = await issuer.token({ sub: 'ann' });
  const [messages] = each;
  await send(messages?.[1] ?? mcp, { token });
  for (const as of ['nope', '', 'OPENAI', '__proto__']) {
    const path = `/api/chat/dev/dev/conversations/conv_ours/stream?as=${as}`;
    expect((await call(path, {}, token)).status).toBe(400);
  }
});
