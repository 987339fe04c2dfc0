import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { Scope } from '../../../runtime/base/scope.ts';
import { readConfig } from '../../../runtime/cli/config/config.ts';
import { openServer } from '../../../runtime/cli/server/open-server.ts';
import { openFolder } from '../../runtime/sdk/kit.ts';
import { serverTestsMsMax } from '../../tools/serve.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

const source = `
import { defineAgent, defineBundle, defineEvent, defineOperation } from 'timeloom/sdk';
import { z } from 'zod';
const input = z.object({});
const alert = defineEvent({ kind: 'alert', reactive: true, payload: input, text: () => 'ALERT' });
const ring = defineOperation({ id: 'ring', input, async run(_, ctx) {
  const { id } = await ctx.conversations.open({ user: ctx.ids.user, key: 'k', title: 'Bells' });
  const { status } = await ctx.events.send(alert, { conversation: id, payload: {}, messageId: 'm1' });
  const line = await ctx.generate({ prompt: 'A kind line.' });
  return { pid: process.pid, status, line };
} });
const shut = defineOperation({ id: 'shut', input, run: () => 1 });
export const bundle = defineBundle({
  id: 'desk', version: '1', events: [alert], operations: [ring, shut],
  agents: [defineAgent({ id: 'main', instruction: 'x' })],
});
`;
const script = 'replies:\n  - { role: small, answer: Done. }\n  - { role: small, answer: Done. }\n';
const Answer = z.object({
  ok: z.boolean(),
  ret: z.object({ pid: z.number(), status: z.string(), line: z.string() }),
});

// proves: operations.every-role
test.each(['in_worker', 'separate'])(
  'a gateway that works on no turns answers operations %s, but for those that are disabled',
  async (supervisors) => {
    await using folder = await openFolder({
      'assembly.yaml': `supervisors: ${supervisors}\n`,
      'bundles.yaml': 'bundles:\n  - { id: desk, path: ./desk, disable: [operations.shut] }\n',
      'desk/bundle.ts': source,
      'script.yaml': script,
    });
    const { dir } = folder;
    const config = readConfig({
      TIMELOOM_CONFIG_DIR: dir,
      TIMELOOM_DATA_DIR: join(dir, 'data'),
      TIMELOOM_MODEL: `scripted:${join(dir, 'script.yaml')}`,
      TIMELOOM_PORT: '0',
      TIMELOOM_LOG: 'error',
    });
    await using scope = new Scope();
    const { signal } = new AbortController();
    const roles = { worker: false, gateway: true };
    const { url } = await openServer(config, { scope, signal, roles });
    const ask = (id: string) =>
      fetch(`${url}/api/bundles/dev/dev/desk/operations/${id}`, {
        method: 'POST',
        headers: { 'x-timeloom-client': 'test' },
      });
    const { ret } = Answer.parse(await (await ask('ring')).json());
    expect(ret).toMatchObject({ status: 'started', line: 'Done.' });
    expect(ret.pid === process.pid).toBe(supervisors === 'in_worker');
    const again = Answer.parse(await (await ask('ring')).json());
    expect(again.ret.status).toBe('duplicate');
    expect((await ask('shut')).status).toBe(404);
  },
);
