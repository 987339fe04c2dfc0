import { openProcessSandbox } from '../../runtime/adapters/process/sandbox.ts';
import { execConformance } from './exec-conformance.ts';
import { sandboxParts } from './exec-kit.ts';

execConformance('the process sandbox', async () => {
  const parts = sandboxParts();
  return { sandbox: await openProcessSandbox(parts), blobs: parts.blobs };
});
