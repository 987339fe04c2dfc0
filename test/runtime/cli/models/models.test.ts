import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Scope } from '../../../../runtime/base/scope.ts';
import { readConfig } from '../../../../runtime/cli/config/config.ts';
import { Models } from '../../../../runtime/cli/models/models.ts';
import { openServer } from '../../../../runtime/cli/server/open-server.ts';
import { defineAgent, defineBundle } from '../../../../runtime/sdk/index.ts';
import { agentWith } from '../../engine/kit/harness.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'timeloom-models-'));
  for (const name of ['one', 'two'])
    await writeFile(join(dir, `${name}.yaml`), '- answer: Hello.\n');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const place = { tenant: 'dev', project: 'dev' };
const ref = (name: string) => `scripted:${join(dir, `${name}.yaml`)}` as const;
const configured = (model?: string) =>
  readConfig({
    TIMELOOM_CONFIG_DIR: dir,
    ...(model === undefined ? {} : { TIMELOOM_MODEL: model }),
  });

test('an agent uses the model of its bundle, else of the installation; an unset role uses decision', async () => {
  const models = new Models(configured(ref('one')));
  const silent = agentWith({ id: 'silent' });
  const said = agentWith({ id: 'said', models: { decision: ref('two') } });
  await models.open([{ place, agents: [silent, said] }]);
  expect(models.of(silent, 'summary').id).toBe(ref('one'));
  expect(models.of(said, 'summary').id).toBe(ref('two'));
});

test('ctx.generate uses the model of the calling agent, else of the first agent', async () => {
  const models = new Models(configured(ref('one')));
  const second = agentWith({ id: 'second', models: { small: ref('two') } });
  await models.open([{ place, agents: [agentWith({ id: 'first' }), second] }]);
  expect(models.for({ bundle: 'test', agent: 'second' }, 'small').id).toBe(ref('two'));
  expect(models.for({ bundle: 'test' }, 'small').id).toBe(ref('one'));
});

test('without a model, the fault says what to set', async () => {
  const models = new Models(configured());
  const agent = agentWith();
  await models.open([{ place, agents: [agent] }]);
  expect(() => models.of(agent, 'decision')).toThrow(/MODEL_NOT_CONFIGURED.*TIMELOOM_MODEL/);
});

// proves: exec.config-reported
test('scripts that a bundle or its operator names are checked first', async () => {
  await writeFile(join(dir, 'odd.yaml'), '- answer: Hello.\n- anser: Hello.\n');
  const models = new Models(configured(ref('one')));
  const bundleWith = (decision: string, agents = {}) => {
    const agent = defineAgent({ id: 'main', instruction: 'x', models: { small: ref(decision) } });
    const definition = defineBundle({ id: 'desk', version: '1', agents: [agent] });
    return { definition, agents };
  };
  await models.check([bundleWith('one')]);
  const said = /SCRIPT_INVALID.*odd\.yaml:2: reply 2.*anser/;
  await expect(models.check([bundleWith('odd')])).rejects.toThrow(said);
  const settings = { main: { models: { decision: ref('odd') } } };
  await expect(models.check([bundleWith('one', settings)])).rejects.toThrow(said);
});

// proves: exec.config-reported
test('an invalid script is reported before anything opens', async () => {
  await writeFile(join(dir, 'bad.yaml'), '- nonsense: 1\n');
  const data = join(dir, 'data');
  const model = ref('bad');
  const config = readConfig({
    ...{ TIMELOOM_CONFIG_DIR: dir, TIMELOOM_DATA_DIR: data, TIMELOOM_LOG: 'silent' },
    TIMELOOM_MODEL: model,
  });
  await using scope = new Scope();
  const { signal } = new AbortController();
  await expect(openServer(config, { scope, signal })).rejects.toThrow('SCRIPT_INVALID');
  expect(existsSync(data)).toBe(false);
});
