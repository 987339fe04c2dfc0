import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { defineProps } from '../../../../runtime/sdk/index.ts';
import { bundleWith, compile } from '../../sdk/kit.ts';
import { bundles, openStage, type Stage } from '../stage.ts';

const path = '/api/me/props/desk';

let stage: Stage;
beforeEach(async () => {
  const settings = defineProps(
    z.object({
      region: z.string(),
      unit: z.enum(['ms', 's']).default('ms'),
      note: z.string().optional(),
    }),
    { perUser: ['unit', 'note'] },
  );
  const { userProps } = await compile(bundleWith([], { props: settings }), {
    props: { region: 'eu', unit: 's' },
  });
  const declared = (bundle: string) => (bundle === 'desk' ? userProps : undefined);
  stage = await openStage({ bundles: { ...bundles, userProps: declared } });
});
afterEach(() => stage[Symbol.asyncDispose]());

async function ask(method: string, { user = 'ann', body = '', where = path } = {}) {
  const headers = { 'x-timeloom-user': user, 'content-type': 'application/json' };
  const url = new URL(where, stage.gateway.url);
  const response = await fetch(url, { method, headers, ...(body && { body }) });
  const answer: unknown = await response.json();
  return [response.status, answer] as const;
}

const shared = { unit: 's' };

// proves: props.user-set
test('a user sets, reads and deletes their props; another user does not have them', async () => {
  const props = { unit: 'ms', note: 'for me' };
  expect(await ask('PUT', { body: JSON.stringify(props) })).toEqual([200, { ok: true, props }]);
  const [, read] = await ask('GET');
  expect(read).toMatchObject({ ok: true, props, shared });
  expect(read).toMatchObject({
    schema: { properties: { unit: { enum: ['ms', 's'] } }, additionalProperties: false },
  });
  expect(JSON.stringify(read)).not.toContain('region');
  expect((await ask('GET', { user: 'bob' }))[1]).toMatchObject({ props: {}, shared });
  // The new object replaces the old one.
  await ask('PUT', { body: '{"note":"again"}' });
  expect((await ask('GET'))[1]).toMatchObject({ props: { note: 'again' } });
  expect(await ask('DELETE')).toEqual([200, { ok: true }]);
  expect((await ask('GET'))[1]).toMatchObject({ props: {} });
});

// proves: props.user-set
test.each([
  ['PUT', path, '{"unit":"h"}', 400, 'invalid props: unit'],
  ['PUT', path, '{"region":"us"}', 400, 'users cannot set region: only unit, note'],
  ['PUT', path, '{"__proto__":{"unit":"ms"}}', 400, 'users cannot set __proto__'],
  ['PUT', path, '["ms"]', 400, 'must be one JSON object'],
  ['PUT', path, JSON.stringify({ note: 'a'.repeat(16_384) }), 413, 'limited to 16384 characters'],
  ['PUT', '/api/me/props/shop', '{}', 404, 'shop'],
  ['GET', '/api/me/props/shop', '', 404, 'shop'],
  ['DELETE', '/api/me/props/shop', '', 404, 'shop'],
])('%s %s is refused: %.30s', async (method, where, ...[body, status, because]) => {
  await ask('PUT', { body: '{"note":"before"}' });
  const [got, said] = await ask(method, { body, where });
  expect(got).toBe(status);
  expect(JSON.stringify(said)).toContain(because);
  expect((await ask('GET'))[1]).toMatchObject({ props: { note: 'before' } });
});
