import { expect, test } from 'vitest';
import { bundles, openStage } from '../stage.ts';

const support = { tenant: 'globex', project: 'support' };
const bundle = { id: 'help', title: 'Help', version: '1', agents: ['main'], widgets: [] };
const own = { ...bundles, bundles: () => [bundle] };

// proves: projects.separate
test('with dev authentication a header or a parameter names the project of a page and of a request', async () => {
  await using stage = await openStage({ projects: [{ scope: support, bundles: own }] });
  const ask = (path: string, project?: string) =>
    fetch(new URL(path, stage.gateway.url), {
      headers: project === undefined ? {} : { 'x-timeloom-project': project },
    });
  const models = async (path: string, project?: string) => {
    const { data } = (await (await ask(path, project)).json()) as { data: { id: string }[] };
    return data.map(({ id }) => id);
  };
  expect(await models('/v1/models', 'globex/support')).toEqual(['help/main']);
  expect(await models('/v1/models?project=globex/support')).toEqual(['help/main']);
  expect(await models('/v1/models')).not.toContain('help/main');
  const page = await (await ask('/?project=globex/support')).text();
  expect(page).toContain('data-tenant="globex" data-project="support"');
  expect((await ask('/v1/models', 'globex/billing')).status).toBe(403);
  const half = await ask('/v1/models', 'support');
  expect([half.status, await half.text()]).toEqual([400, expect.stringContaining('project')]);
});
