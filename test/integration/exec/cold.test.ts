import { openProcessSandbox } from '../../../runtime/adapters/process/sandbox.ts';
import { execConformance } from './cases/conformance.ts';
import { timelessParts } from './kit.ts';

// proves: exec.one-envelope

execConformance(
  'the process sandbox, where nobody waits',
  async () => {
    const parts = timelessParts();
    return { ...parts, sandbox: await openProcessSandbox(parts) };
  },
  { parts: ['results', 'ends', 'handles'], concurrent: true },
);
