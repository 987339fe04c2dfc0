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

// proves: workbench.rerun-role
test('only the user of a conversation runs its turns again, and only operators name models or edit results', async () => {
  const ann = await issuer.token({ sub: 'ann' });
  const builder = await issuer.token({ sub: 'ann', roles: ['operator'] });
  const chief = await issuer.token({ sub: 'chief', roles: ['inspector', 'operator'] });
  const sent: unknown = await (await say('m2', ann)).json();
  const id = String(Reflect.get(Object(sent), 'conversation_id'));
  const turn = String(Reflect.get(Object(sent), 'turn_id'));
  const status = async (action: string, body: object, token: string) => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await call(`/inspect/dev/dev/${id}/${action}`, init, token)).status;
  };
  expect(await status('rerun', { turn }, chief)).toBe(403);
  expect(await status('edit', { block: 2, text: 'a' }, chief)).toBe(403);
  expect(await status('rerun', { turn, model: 'scripted:a' }, ann)).toBe(403);
  expect(await status('edit', { block: 2, text: 'a' }, ann)).toBe(403);
  // A prompt is not the result of a call, and this server opens no other models.
  expect(await status('edit', { block: 2, text: 'a' }, builder)).toBe(400);
  expect(await status('rerun', { turn, model: 'scripted:a' }, builder)).toBe(400);
  expect(await status('rerun', { turn }, ann)).toBe(202);
  const bob = await issuer.token({ sub: 'bob' });
  const read = async (path: string, token: string) =>
    (await call(`/inspect/dev/dev/${path}`, {}, token)).status;
  for (const path of [
    ...['failures?user=ann', 'ratings?user=ann', 'tools?user=ann', 'budgets?user=ann'],
    ...['evals', 'models'],
  ])
    expect([path, await read(path, bob)]).toEqual([path, 403]);
  expect(await read('failures', bob)).toBe(200);
  for (const path of ['heads', 'family', 'as-case'])
    expect([path, await read(`${id}/${path}`, bob)]).toEqual([path, 404]);
});
