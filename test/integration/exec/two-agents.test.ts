import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { Scope } from '../../../runtime/base/scope.ts';
import { connect } from '../../../runtime/client/index.ts';
import { openFargatePlace } from '../../tools/aws/place.ts';
import { serverTestsMsMax, startServe } from '../../tools/serve.ts';

vi.setConfig({ testTimeout: serverTestsMsMax });

const program = (code: string) => ({
  code,
  call: { tool: 'exec_tools.execute_code_python', input: {} },
});
const bundle = (dir: string) => `
  import { defineAgent, defineBundle } from 'timeloom/sdk';
  const agent = (id, exec) => defineAgent({ id, exec, instruction: 'Write programs.', tools: ['exec_tools.*'],
    models: { decision: 'scripted:${dir}/' + id + '.yaml' } });
  export const bundle = defineBundle({ id: 'desk', version: '1',
    agents: [agent('live', {}), agent('batch', { mode: 'fargate', timeoutMs: 120_000 })] });
`;
const live = [
  program(`open(f"{OUTPUT_DIR}/files/readings.csv", "w").write("1\\n2\\n3\\n")\nprint("kept")`),
  { answer: 'Measured.' },
];
const batch = [
  { call: { tool: 'react.checkout', input: { paths: ['fi:t1.files/readings.csv'] } } },
  program(
    `rows = open(f"{OUTPUT_DIR}/files/readings.csv").read().split()\nprint(sum(map(int, rows)))`,
  ),
  { answer: 'Summed.' },
];

// proves: exec.two-places
test('two agents of one conversation work in Docker and as a task of AWS, the second on a file of the first', async () => {
  await using scope = new Scope();
  const place = await openFargatePlace(scope);
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-two-'));
  scope.defer(() => rm(dir, { recursive: true, force: true }));
  const { endpoints, cluster, taskDefinition, subnets, securityGroups, bucket, prefix } =
    place.settings;
  const fargate = {
    ...{ cluster, bucket, prefix, subnets: [...subnets] },
    ...{ task_definition: taskDefinition, security_groups: [...securityGroups] },
  };
  const exec = { mode: 'docker', pool: 0, fargate, allow: { modes: ['fargate'] } };
  await writeFile(join(dir, 'assembly.yaml'), stringify({ exec }));
  await writeFile(join(dir, 'bundle.ts'), bundle(dir));
  await writeFile(join(dir, 'live.yaml'), stringify({ replies: live }));
  await writeFile(join(dir, 'batch.yaml'), stringify({ replies: batch }));
  await using server = await startServe({
    ...{ AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key', AWS_REGION: 'eu-central-1' },
    ...{ AWS_ENDPOINT_URL: endpoints?.aws ?? '', AWS_ENDPOINT_URL_S3: endpoints?.s3 ?? '' },
    DOCKER_HOST: place.engine,
    TIMELOOM_CONFIG_DIR: dir,
    TIMELOOM_DATA_DIR: join(dir, 'data'),
    TIMELOOM_BUNDLES: dir,
  });
  await using client = connect({ url: server.url, user: 'ann' });
  await using other = connect({ url: server.url, user: 'ann' });
  const first = client.conversation(undefined, { agent: 'live' });
  const measured = await (await first.send('Measure.')).done();
  expect(measured).toMatchObject({ reason: 'completed', text: 'Measured.' });
  const second = other.conversation(first.id, { agent: 'batch' });
  const summed = await (await second.send('Sum it up.')).done();
  expect(summed).toMatchObject({ reason: 'completed', text: 'Summed.' });
  const fetched = await fetch(`${server.url}/conversations/dev/dev/${first.id}/fetch`, {
    method: 'POST',
    headers: { 'x-timeloom-user': 'ann' },
  });
  const text = await fetched.text();
  const backends = [...text.matchAll(/"backend":"(\w+)"/g)].map(([, name]) => name);
  expect([...new Set(backends)]).toEqual(['docker', 'fargate']);
  expect(text).toContain('"user_out_tail":"6\\n"');
});
