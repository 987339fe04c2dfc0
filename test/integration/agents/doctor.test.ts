import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkAgentPrograms } from '../../../runtime/cli/commands/doctor/check-agent-programs.ts';

const modules = join(import.meta.dirname, '../../../node_modules');
const limits = { memoryMb: 512, cpus: 1, processes: 64, fileMb: 64, workspaceMb: 64 };
const { signal } = new AbortController();

// proves: external.doctor
test('the doctor says of each agent program whether it answers, and why not', async () => {
  const root = await mkdtemp(join(tmpdir(), 'timeloom-run-doctor-'));
  // The users of the sandboxes must reach what is below it.
  await chmod(root, 0o711);
  const program = (file: string, models = {}) => ({
    command: ['node', join(import.meta.dirname, file)],
    folders: [import.meta.dirname, modules],
    env: {},
    egress: { hosts: [], privateHosts: [], models },
    limits,
  });
  const model = { demo: { url: 'http://127.0.0.1:1', headers: {} } };
  const programs = {
    sound: program('demo-agent.mjs'),
    absent: program('no-such-agent.mjs'),
    unreachable: program('demo-agent.mjs', model),
  };
  const mode = 'process' as const;
  const agentPrograms = { programs, mode, image: undefined, keepDays: 30, workspaces: `${root}/w` };
  const settings = { agentPrograms, dataDir: root, dockerHost: undefined };
  const [sound, absent, unreachable] = await checkAgentPrograms(settings, signal);
  expect(sound).toEqual({ what: 'agent sound', ok: true, says: 'demo 1.0 answers' });
  expect(absent).toMatchObject({ what: 'agent absent', ok: false });
  expect(absent?.says).toContain('no-such-agent.mjs');
  expect(unreachable).toMatchObject({ ok: false });
  expect(unreachable?.says).toContain('no model answers at http://127.0.0.1:1');
  expect(await checkAgentPrograms({ ...settings, agentPrograms: undefined }, signal)).toEqual([]);
  const docker = { ...agentPrograms, mode: 'docker' as const };
  const nowhere = { ...settings, agentPrograms: docker, dockerHost: 'unix:///nowhere.sock' };
  const found = await checkAgentPrograms(nowhere, signal);
  expect(found.map(({ ok }) => ok)).toEqual([false, false, false]);
  expect(found[0]?.says).toContain('no Docker engine answers');
  await rm(root, { recursive: true });
});
