import { openProcessSandbox } from '../../runtime/adapters/process/sandbox.ts';
import { execConformance } from './exec-conformance.ts';
import { sandboxParts } from './exec-kit.ts';

// proves: exec.one-envelope

execConformance('the process sandbox, where nobody waits', async () => {
  const parts = sandboxParts();
  return { sandbox: await openProcessSandbox(parts), blobs: parts.blobs };
});
