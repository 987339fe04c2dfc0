import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { livePropsSpace } from '../../../../runtime/sdk/compile/lifecycle/live-props.ts';
import type { LiveProps } from '../../../../runtime/sdk/contract/runtime-bundle.ts';
import { defineProps } from '../../../../runtime/sdk/index.ts';
import { bundleWith, compile } from '../../sdk/kit.ts';
import { call, issuer, stage as jwtStage, withIssuer } from '../auth/jwt-stage.ts';
import { bundles, openStage, type Stage, scope } from '../stage.ts';

const path = '/api/bundles/dev/dev/desk/props';

let live: LiveProps | undefined;
let stage: Stage;
beforeEach(async () => {
  const settings = defineProps(z.object({ services: z.array(z.string()).min(1) }));
  const compiled = await compile(bundleWith([], { props: settings }), {
    props: { services: ['checkout'] },
  });
  live = compiled.props;
  const props = (bundle: string) => (bundle === 'desk' ? live : undefined);
  stage = await openStage({ bundles: { ...bundles, props } });
});
afterEach(() => stage[Symbol.asyncDispose]());

async function ask(method: string, body?: string, where = path): Promise<[number, unknown]> {
  const url = new URL(where, stage.gateway.url);
  const response = await fetch(url, { method, ...(body === undefined ? {} : { body }) });
  return [response.status, await response.json()];
}

// proves: props.put
test('an operator sets props of a bundle, reads them with their schema, and resets them', async () => {
  const wanted = { services: ['search'] };
  expect(await ask('PUT', JSON.stringify(wanted))).toEqual([200, { ok: true, props: wanted }]);
  expect(live?.live).toEqual(wanted);
  expect(await stage.deps.storage.get(livePropsSpace(scope), 'desk')).toEqual(wanted);
  const [status, said] = await ask('GET');
  expect(status).toBe(200);
  expect(said).toMatchObject({ ok: true, props: wanted, schema: { type: 'object' } });
  expect(await ask('PUT', '{}')).toEqual([200, { ok: true, props: {} }]);
  expect(live?.live).toEqual({});
});

// proves: props.put
test.each([
  ['{"services":[]}', path, 400, 'invalid props: services'],
  ['{"service":["a"]}', path, 400, 'unknown props: service'],
  ['["a"]', path, 400, 'the request body must be one JSON object'],
  ['', path, 400, 'the request body must be one JSON object'],
  ['{}', '/api/bundles/dev/dev/shop/props', 404, 'bundle "shop" not found, or it has no props'],
  [JSON.stringify({ services: ['a'.repeat(300_000)] }), path, 413, 'limited to 256000 characters'],
])(
  'invalid props change nothing and are refused: %.30s',
  async (body, where, ...[status, because]) => {
    const [got, said] = await ask('PUT', body, where);
    expect(got).toBe(status);
    expect(JSON.stringify(said)).toContain(JSON.stringify(because).slice(1, -1));
    expect(live?.live).toEqual({});
    expect(await stage.deps.storage.get(livePropsSpace(scope), 'desk')).toBeUndefined();
  },
);

withIssuer();

// proves: props.put
test('with tokens the role operator is required', async () => {
  const put = async (token: string) => {
    const response = await call(path, { method: 'PUT', body: '{}' }, token);
    return [response.status, JSON.stringify(await response.json())];
  };
  expect(await put(await issuer.token({ roles: ['editor'] }))).toEqual([
    403,
    expect.stringContaining('the role operator'),
  ]);
  // Authorised, but this stage has no such bundle.
  expect(await put(await issuer.token({ roles: ['operator'] }))).toEqual([
    404,
    expect.stringContaining('not found'),
  ]);
  expect(jwtStage.deps.auth.mode).toBe('jwt');
});
