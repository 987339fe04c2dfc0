import { afterAll, beforeAll } from 'vitest';
import { openProcessSandbox } from '../../runtime/adapters/process/sandbox.ts';
import type { Sandbox } from '../../runtime/tools/sandbox.ts';
import { sandboxParts } from '../integration/exec-kit.ts';
import { protocolSuite } from './protocol.ts';

// proves: exec.frames, i6.granted-only, i6.not-believed

let sandbox: Sandbox & AsyncDisposable;
beforeAll(async () => {
  sandbox = await openProcessSandbox({ ...sandboxParts(), pool: 3 });
});
afterAll(() => sandbox[Symbol.asyncDispose]());

protocolSuite(() => sandbox);
