import { expect, test } from 'vitest';
import { call, issuer, say, withIssuer } from '../auth/jwt-stage.ts';

withIssuer();

// proves: workbench.role
test('conversations of others, and what works now, require the role inspector', async () => {
  const ann = await issuer.token({ sub: 'ann' });
  const bob = await issuer.token({ sub: 'bob' });
  const chief = await issuer.token({ sub: 'chief', roles: ['inspector'] });
  const sent: unknown = await (await say('m1', ann)).json();
  const id = String(Object(sent)['conversation_id']);
  const status = async (path: string, token?: string) =>
    (await call(`/inspect/dev/dev/${path}`, {}, token)).status;
  expect(await status(`${id}/rounds`)).toBe(401);
  expect(await status(`${id}/rounds`, ann)).toBe(200);
  expect(await status(`${id}/rounds`, bob)).toBe(404);
  expect(await status(`${id}/rounds?user=ann`, bob)).toBe(404);
  expect(await status(`${id}/rounds`, chief)).toBe(200);
  expect(await status(`${id}/rounds?user=bob`, chief)).toBe(404);
  expect(await status('live', bob)).toBe(403);
  expect(await status('usage?user=ann', bob)).toBe(403);
  const items = async (token: string) => {
    const body: unknown = await (await call('/inspect/dev/dev/conversations', {}, token)).json();
    return Array.isArray(Object(body)['items']) ? Object(body)['items'].length : undefined;
  };
  expect([await items(ann), await items(bob), await items(chief)]).toEqual([1, 0, 1]);
});
