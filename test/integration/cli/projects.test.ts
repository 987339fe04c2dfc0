import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { connect } from '../../../runtime/client/index.ts';
import { type Served, serverTestsMsMax, startServe } from '../../tools/serve.ts';
import { openPlace, type Place } from './place.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

let place: Place;
/** What looks at a timeline goes through it. */
let server: Served;
const ids: Record<string, string> = {};
beforeAll(async () => {
  place = await openPlace();
  await place.write({
    'config/gateway.yaml': 'projects: [{ tenant: globex, project: support }]\n',
  });
  server = await startServe(place.env);
  for (const scope of [
    { tenant: 'dev', project: 'dev' },
    { tenant: 'globex', project: 'support' },
  ]) {
    await using client = connect({ url: server.url, user: 'ann', ...scope });
    const opened = client.conversation();
    await (await opened.send(`Hello from ${scope.tenant}`)).done();
    ids[scope.tenant] = opened.id;
  }
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

// proves: cli.projects
test('timeline lists and finds the conversations of every project, or of one', async () => {
  const listed = await place.run(['timeline', 'list', '--user', 'ann']);
  expect([listed.code, listed.stderr]).toEqual([0, '']);
  const lines = listed.stdout.trim().split('\n');
  expect(lines[0]).toMatch(/ globex\/support {2}conv_\w+ {2}Hello from globex$/);
  expect(lines[1]).toMatch(/ dev\/dev {2}conv_\w+ {2}Hello from dev$/);
  const own = await place.run(['timeline', 'list', '--user', 'ann', '--project', 'dev/dev']);
  expect(own.stdout).toContain('Hello from dev');
  expect(own.stdout).not.toContain('globex');
  const shown = await place.run(['timeline', 'show', ids['globex'] ?? '']);
  expect([shown.code, shown.stdout.includes('turn.close')]).toEqual([0, true]);
  const verify = ['timeline', 'verify', ids['globex'] ?? ''];
  expect((await place.run([...verify, '--project', 'globex/support'])).code).toBe(0);
  const elsewhere = await place.run([...verify, '--project', 'dev/dev']);
  expect([elsewhere.code, elsewhere.stderr]).toEqual([
    1,
    expect.stringContaining('not found in dev/dev'),
  ]);
  const unknown = await place.run([...verify, '--project', 'acme/ops']);
  expect(unknown.stderr).toContain(
    'acme/ops is not served here; projects: dev/dev, globex/support',
  );
});

// proves: cli.projects
test('doctor checks the bundles of every project', async () => {
  const { stdout } = await place.run(['doctor', '--json']);
  const findings = JSON.parse(stdout) as readonly { what: string; ok: boolean; says: string }[];
  expect(findings.find(({ what }) => what === 'bundles')).toMatchObject({
    ok: true,
    says: 'desk 1; in globex/support: desk 1',
  });
});
