import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { Scope } from '../../../runtime/base/scope.ts';
import { readConfig } from '../../../runtime/cli/config/config.ts';
import { openServer } from '../../../runtime/cli/server/open-server.ts';
import { connect } from '../../../runtime/client/connect.ts';
import { openFolder } from '../../runtime/sdk/kit.ts';
import { serverTestsMsMax } from '../../tools/serve.ts';
import { isAlive, until } from './kit.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

const assembly = 'supervisors: separate\n';
const secrets = 'desk: { KEY: "hunter2hunter2" }\n';
const script = `plays: per_conversation
replies:
  - thinking: Who is there?
    call: { tool: desk.knows, input: {} }
  - code: |
      print(await tools.desk.add(a=41))
    call: { tool: exec_tools.execute_code_python, input: {} }
  - answer: Done.
`;

// proves: supervisor.same
test('a server with separate supervisors answers turns and programs through them', async () => {
  await using folder = await openFolder({
    'assembly.yaml': assembly,
    'bundles.secrets.yaml': secrets,
    'script.yaml': script,
  });
  const { dir } = folder;
  await chmod(join(dir, 'bundles.secrets.yaml'), 0o600);
  const config = readConfig({
    TIMELOOM_CONFIG_DIR: dir,
    TIMELOOM_DATA_DIR: join(dir, 'data'),
    TIMELOOM_BUNDLES: join(import.meta.dirname, 'supervisor-desk'),
    TIMELOOM_MODEL: `scripted:${join(dir, 'script.yaml')}`,
    TIMELOOM_EXEC_MODE: 'process',
    TIMELOOM_PORT: '0',
    TIMELOOM_LOG: 'error',
  });
  const scope = new Scope();
  const { signal } = new AbortController();
  const { url } = await openServer(config, { scope, signal });
  const kept = await fetch(new URL('/api/me/secrets/desk/OWN', url), {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-timeloom-user': 'ann' },
    body: JSON.stringify({ value: 'of ann' }),
  });
  expect(kept.status).toBe(200);
  const client = connect({ url, user: 'ann' });
  const turn = await client.conversation().send('Who?');
  expect((await turn.done()).text).toBe('Done.');
  const blocks = await turn.blocks();
  const results = JSON.stringify(blocks.filter(({ type }) => type === 'react.tool.result'));
  const pid = Number(/"pid":(\d+)/.exec(results)?.[1]);
  expect(pid).toBeGreaterThan(0);
  expect(pid).not.toBe(process.pid);
  expect(results).toContain('42');
  expect(results).not.toContain('hunter2');
  await client[Symbol.asyncDispose]();
  await scope[Symbol.asyncDispose]();
  await until('it is gone', async () => !(await isAlive(pid)));
});
