import { afterAll, expect, test } from 'vitest';
import type { FargateSettings } from '../../../runtime/adapters/fargate/settings/settings.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { openFargate } from '../../../runtime/cli/sandbox/open-fargate.ts';
import { openSandbox } from '../../../runtime/cli/sandbox/open-sandbox.ts';
import { Sandboxes } from '../../../runtime/cli/sandbox/sandboxes.ts';
import { openFargatePlace, type Place } from '../../tools/aws/place.ts';
import { isFullMatrix } from '../../tools/runs.ts';
import { execConformance } from './cases/conformance.ts';
import { contract, echoHost, ran, request, sandboxParts, timelessParts, unsaid } from './kit.ts';

// proves: exec.fargate

const scope = new Scope();
afterAll(() => scope[Symbol.asyncDispose]());

let place: Place;

execConformance(
  'Fargate',
  async () => {
    place = await openFargatePlace(scope);
    const settings: FargateSettings = place.settings;
    const parts = timelessParts();
    const sandbox = await openFargate({ ...parts, settings });
    return { ...parts, sandbox, elsewhere: true };
  },
  // The program and its libraries are those of the Docker image.
  { parts: ['files', 'left', 'ends', 'handles'], oneLanguage: true },
);

/** Much more than is kept: a gibibyte in the long run. */
const floodMb = isFullMatrix ? 1_024 : 128;
const flood = `import sys
for n in range(${floodMb}): sys.stdout.write("x" * (1 << 20))
print("\\nlast", flush=True)
await tools.data.report()`;
const stubborn = `import time
print("x" * 3_000_000 + "\\nlast", flush=True)
try:
  await tools.data.report()
finally:
  while True:
    try: time.sleep(1)
    except BaseException: pass`;

// proves: exec.fargate-flood
test('of a flood of output the bucket gets what is kept and the end', async () => {
  await using sandbox = await openFargate({ ...timelessParts(), settings: place.settings });
  let carried = 0;
  const callTool = async () => {
    carried = await place.bytes();
    return { ok: true as const, ret: null };
  };
  const asked = request('python', flood, { granted: ['data.report'] });
  const { envelope } = await ran(sandbox, asked, { host: { ...echoHost, callTool } });
  expect(envelope.error).toBe(null);
  expect(envelope.user_out).toBe('x'.repeat(1024 ** 2));
  expect(envelope.user_out_tail).toMatch(/x\nlast\n$/);
  const characters = floodMb * 1024 ** 2 + '\nlast\n'.length;
  expect(envelope.report_text).toContain(`${characters.toLocaleString('en-US')} characters`);
  expect(carried).toBeGreaterThan(1024 ** 2);
  expect(carried).toBeLessThan(2 * 1024 ** 2);
});

// proves: exec.fargate-flood
test('the end of a flood is reported although its program had to be ended', async () => {
  await using sandbox = await openFargate({ ...sandboxParts(), settings: place.settings });
  const stop = new AbortController();
  const callTool = async () => {
    stop.abort();
    return { ok: true as const, ret: null };
  };
  const asked = request('python', stubborn, { granted: ['data.report'] });
  const way = { host: { ...echoHost, callTool }, signal: stop.signal };
  const { envelope } = await ran(sandbox, asked, way);
  expect(envelope.kill_reason).toBe('cancelled');
  expect(envelope.user_out_tail).toMatch(/x\nlast\n$/);
});

// proves: exec.place, exec.two-places
test('in one conversation a program works on Docker, and one on Fargate goes on with its file', async () => {
  await using own = new Scope();
  const parts = { ...sandboxParts(), scope: own };
  const open = (mode: 'docker' | 'fargate') =>
    openSandbox({
      ...{ ...parts, mode, dockerHost: place.engine, fargate: place.settings },
      limits: unsaid,
    });
  const { sandbox, refusal } = await open('docker');
  if (!sandbox) throw new Error(refusal);
  const both = new Sandboxes(sandbox, {
    open: ({ mode }) => open(mode === 'fargate' ? mode : 'docker'),
    cpus: 1,
  });
  const live = `open(f"{OUTPUT_DIR}/outputs/readings.csv", "w").write("1\\n2\\n3\\n")`;
  const made = contract('outputs/readings.csv');
  const first = await ran(both, request('python', live, { contract: made }));
  const [readings] = first.envelope.artifacts;
  if (!readings) throw new Error(first.envelope.report_text);
  const batch = `rows = open(f"{OUTPUT_DIR}/files/readings.csv").read().split()
print(sum(map(int, rows)))`;
  const inputs = [{ filepath: 'files/readings.csv', blob: readings.blob, writable: true }];
  const asked = { ...request('python', batch, { inputs }), place: { mode: 'fargate' as const } };
  const second = await ran(both, asked);
  const ends = [first, second].map(({ envelope }) => [envelope.backend, envelope.user_out_tail]);
  expect(ends).toEqual([
    ['docker', ''],
    ['fargate', '6\n'],
  ]);
});

// proves: exec.fargate-clean
test('every task, secret and object of what has run is gone', async () => {
  expect(place.tasks.running()).toEqual([]);
  expect([...place.secrets.kept.keys()]).toEqual([]);
  expect(await place.objects()).toEqual([]);
});
