import { test } from 'vitest';
import { openAgentSandbox } from '../../../runtime/adapters/process/agent/agent-sandbox.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { expectIsolation } from './sandbox-probe.ts';

// proves: external.sandbox
test('an agent program has no network, no privilege and no secret, and writes only its own folders', async () => {
  await using sandbox = await openAgentSandbox({ log: silentLog });
  await expectIsolation(sandbox);
});
