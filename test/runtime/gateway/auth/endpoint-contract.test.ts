import { expect, test } from 'vitest';
import { packetBytesMax } from '../../../../runtime/gateway/input/limits.ts';
import { type Endpoint, endpoints, Rpc, type Said } from '../endpoints/contract/endpoints.ts';
import { call, issuer, withIssuer } from './jwt-stage.ts';

withIssuer();

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
