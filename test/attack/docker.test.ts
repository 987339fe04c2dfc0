import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDockerSandbox } from '../../runtime/adapters/docker/sandbox.ts';
import { Scope } from '../../runtime/base/scope.ts';
import type { Sandbox } from '../../runtime/tools/ports/sandbox.ts';
import { defaultProfile } from '../../supervisor/cell/profile.ts';
import { sandboxParts } from '../integration/exec/kit.ts';
import { isFullMatrix } from '../tools/runs.ts';
import { engineMsMax, openDocker } from '../tools/services/docker.ts';
import { attacked, attackedByChild, open, openWorld, probesMin, type World } from './attacks.ts';
import { floodSuite } from './protocol/flood.ts';
import { protocolSuite } from './protocol/protocol.ts';

const scope = new Scope();
let dockerHost: string;
let world: World;
beforeAll(async () => {
  dockerHost = scope.own(await openDocker()).host;
  world = await openWorld(scope, dockerHost.replace('unix://', ''));
}, engineMsMax);
afterAll(() => scope[Symbol.asyncDispose]());

/** What stays open in each layout: who shares a room is seen, by number and name. */
const known = { split: [], combined: ['sees_other_processes'] } as const;
/** What gVisor answers of the kernel it is itself, and not of the machine's: nothing there has a chance, a priority or a flag outside. */
const fiction = {
  python: [
    ...['root', 'system', 'executor', 'inputs'].map((name) => `stands_on_a_writable_${name}`),
    'raises_its_chance_to_live',
    'raises_its_priority',
  ],
  javascript: ['node_raises_its_priority'],
} as const;
/** Each process costs its kernel 8 MiB: that number of them ends the program for want of memory. */
const without = ['makes_processes_without_end'];
const rooms = [
  { layout: 'split', runtime: 'runc' },
  { layout: 'combined', runtime: 'runc' },
  { layout: 'split', runtime: 'crun' },
] as const;

// proves: exec.docker, exec.docker-combined, i6.neighbours, i6.no-sockets, i6.no-secrets, i6.attacked, i6.not-believed, exec.runtime, exec.budget
describe.each(rooms)('Docker $layout by $runtime', ({ layout, runtime }) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    const options = { ...sandboxParts(), dockerHost, layout, runtime };
    sandbox = scope.own(await openDockerSandbox(options));
  });

  test('no probe in Python gets out', async () => {
    const verdicts = await attacked(sandbox, 'python', world);
    expect(open(verdicts)).toEqual(known[layout]);
    expect(verdicts.size).toBeGreaterThanOrEqual(probesMin.python);
  });

  // One layout shows at every change that the same walls hold it, the others in the long run.
  if (isFullMatrix || (layout === 'split' && runtime === 'runc')) {
    test('no probe in JavaScript gets out', async () => {
      const verdicts = await attacked(sandbox, 'javascript', world);
      expect(open(verdicts)).toEqual([]);
      expect(verdicts.size).toBeGreaterThanOrEqual(probesMin.javascript);
    });

    test('no probe gets out of what a program in JavaScript starts', async () => {
      const verdicts = await attackedByChild(sandbox, world);
      expect(open(verdicts)).toEqual(known[layout]);
      expect(verdicts.size).toBeGreaterThanOrEqual(probesMin.python);
    });
  }

  // The supervisor is the same code in each layout, for programs of any runtime.
  if (runtime === 'runc' && (isFullMatrix || layout === 'split')) {
    describe('frames', () => protocolSuite(() => sandbox, { isSample: true }));
    describe('floods', () => floodSuite(() => sandbox, { isSample: true }));
  }
});

// proves: exec.runsc, i6.attacked
describe('Docker split by runsc', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    // Each file costs its kernel a millisecond, and one program tries to make more than there may be.
    const profile = { ...defaultProfile, inodes: 2_000 };
    const options = { ...sandboxParts(), dockerHost, profile, runtime: 'runsc' } as const;
    sandbox = scope.own(await openDockerSandbox(options));
  });

  test('no probe in Python gets out', async () => {
    const verdicts = await attacked(sandbox, 'python', { ...world, without });
    expect(open(verdicts)).toEqual(fiction.python);
    expect(verdicts.size).toBeGreaterThanOrEqual(probesMin.python - without.length);
  });

  test('no probe in JavaScript gets out', async () => {
    const verdicts = await attacked(sandbox, 'javascript', world);
    expect(open(verdicts)).toEqual(fiction.javascript);
    expect(verdicts.size).toBeGreaterThanOrEqual(probesMin.javascript);
  });
});
