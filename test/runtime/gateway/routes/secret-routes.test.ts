import { afterEach, beforeEach, expect, test } from 'vitest';
import { createUserSecrets } from '../../../../runtime/adapters/secrets/user-secrets.ts';
import type { Facts, Log } from '../../../../runtime/base/log.ts';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';
import { bundles, openStage, type Stage } from '../stage.ts';

const path = '/api/me/secrets/desk/CRM_KEY';
const value = 'the-key-of-ann';

let stage: Stage;
let lines: string[];
beforeEach(async () => {
  lines = [];
  const at = (message: string, facts?: Facts) => lines.push(JSON.stringify([message, facts]));
  const log: Log = { debug: at, info: at, warn: at, error: at, with: () => log };
  const storage = createMemoryStorage(() => 0);
  const userSecrets = createUserSecrets({ storage, log, secret: async () => 'a key' });
  const declared = (bundle: string) =>
    bundle === 'desk' ? [{ id: 'CRM_KEY', description: 'key of the CRM' }] : undefined;
  stage = await openStage({ log, userSecrets, bundles: { ...bundles, userSecrets: declared } });
});
afterEach(() => stage[Symbol.asyncDispose]());

async function ask(method: string, where: string, { user = 'ann', body = '' } = {}) {
  const url = new URL(where, stage.gateway.url);
  const headers = { 'x-timeloom-user': user, 'content-type': 'application/json' };
  const response = await fetch(url, { method, headers, ...(body && { body }) });
  const answer: unknown = await response.json();
  return [response.status, answer] as const;
}

const list = '/api/me/secrets/desk';
const entry = { id: 'CRM_KEY', description: 'key of the CRM' };

// proves: secrets.set
test('a user sets, lists and deletes a secret; the value is never returned, and other users do not have it', async () => {
  const body = JSON.stringify({ value });
  const answers = [await ask('PUT', path, { body })];
  expect(answers[0]).toEqual([200, { ok: true }]);
  answers.push(await ask('GET', list));
  expect(answers[1]).toEqual([200, { ok: true, items: [{ ...entry, set: true }] }]);
  expect(await ask('GET', list, { user: 'bob' })).toEqual([
    200,
    { ok: true, items: [{ ...entry, set: false }] },
  ]);
  answers.push(await ask('DELETE', path));
  expect(await ask('GET', list)).toEqual([200, { ok: true, items: [{ ...entry, set: false }] }]);
  expect(lines.join()).toContain('user secret set');
  expect(JSON.stringify([answers, lines])).not.toContain(value);
});

// proves: secrets.set
test.each([
  ['PUT', path, '{}', 400],
  ['PUT', path, '{"value": ""}', 400],
  ['PUT', path, '{"value": 1}', 400],
  ['PUT', path, JSON.stringify({ value: 'a'.repeat(16_385) }), 400],
  ['PUT', '/api/me/secrets/desk/OTHER', '{"value": "a"}', 404],
  ['PUT', '/api/me/secrets/shop/CRM_KEY', '{"value": "a"}', 404],
  ['DELETE', '/api/me/secrets/desk/OTHER', '', 404],
  ['GET', '/api/me/secrets/shop', '', 404],
])('%s %s is refused: %.20s', async (method, where, ...[body, status]) => {
  const [got, said] = await ask(method, where, { body });
  expect(got).toBe(status);
  expect(said).toMatchObject({ ok: false });
});
