import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { createEgressProxy } from '../../../runtime/adapters/egress/open-egress.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { type AgentSandbox, agentFolders } from '../../../runtime/engine/ports/agent-sandbox.ts';

const limits = { memoryMb: 512, cpus: 1, processes: 64, fileMb: 1 };

/** Runs a command as an agent program, with nothing to reach. */
async function runInside(sandbox: AgentSandbox, script: string) {
  const folder = await mkdtemp(join(tmpdir(), 'timeloom-run-sandbox-'));
  await chmod(folder, 0o711);
  const own = agentFolders(folder);
  for (const path of Object.values(own)) await mkdir(path, { mode: 0o755 });
  const policy = { hosts: [], privateHosts: [], models: {} };
  await using _proxy = await createEgressProxy({ log: silentLog }).open(own.egress, policy);
  const { signal } = new AbortController();
  const command = ['sh', '-c', script];
  const program = { command, folders: [], env: { MARK: 'seen' }, ...own, limits };
  await using process = await sandbox.open(program, { signal });
  const [output, how] = await Promise.all([text(process.stdout), process.exited]);
  const written = await readFile(join(own.workspace, 'a.txt'), 'utf8').catch(() => '');
  await rm(folder, { recursive: true });
  return { output, how, written };
}

/** A program that tries to get out: no network, no privilege, no secret, nothing to write but its own folders. */
export async function expectIsolation(sandbox: AgentSandbox): Promise<void> {
  process.env['TIMELOOM_TEST_SECRET'] = 'of-the-worker';
  const listening = createServer().listen(0, '127.0.0.1');
  const address = listening.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const { output, how, written } = await runInside(
    sandbox,
    `
    env; cat /proc/1/environ | tr '\\0' '\\n'
    echo hello > /workspace/a.txt
    grep CapEff /proc/self/status
    node -e "
      const net = require('net');
      for (const [host, port] of [['127.0.0.1', ${port}], ['1.1.1.1', 443]])
        net.connect(port, host).on('connect', () => console.log('REACHED', host)).on('error', (e) => console.log(e.code));
    "
    for path in /usr/x /etc/x /inputs/x /run/egress/x /x; do touch $path 2>/dev/null && echo WROTE $path; done
    unshare -U true 2>/dev/null && echo NAMESPACE
    head -c 4000000 /dev/zero > /workspace/big 2>/dev/null; ls -l /workspace/big | awk '{print "big", $5}'
    ls /proc | grep -c '^[0-9]'
    `,
  );
  listening.close();
  expect(how).toBe('exit 0');
  expect(written).toBe('hello\n');
  expect(output).toContain('MARK=seen');
  expect(output).toContain('CapEff:\t0000000000000000');
  expect(output).toContain('ECONNREFUSED');
  expect(output).toContain('ENETUNREACH');
  expect(output).toContain('big 1048576');
  expect(output).not.toMatch(/REACHED|WROTE|NAMESPACE|of-the-worker/);
}
