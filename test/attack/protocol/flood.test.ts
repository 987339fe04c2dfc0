import { afterAll, beforeAll } from 'vitest';
import { openProcessSandbox } from '../../../runtime/adapters/process/sandbox.ts';
import type { Sandbox } from '../../../runtime/tools/ports/sandbox.ts';
import { sandboxParts } from '../../integration/exec/kit.ts';
import { floodSuite } from './flood.ts';

// proves: exec.budget

let sandbox: Sandbox & AsyncDisposable;
beforeAll(async () => {
  sandbox = await openProcessSandbox({ ...sandboxParts(), pool: 0 });
});
afterAll(() => sandbox[Symbol.asyncDispose]());

floodSuite(() => sandbox);
