import { expect, test } from 'vitest';
import { toTurnId } from '../../../runtime/timeline/ids.ts';
import type { ExecRequest } from '../../../runtime/tools/ports/sandbox.ts';
import type { FoundOutput } from '../../../supervisor/cell/cell.ts';
import { undeclaredOutputs } from '../../../supervisor/files/undeclared-outputs.ts';

const turn = toTurnId('turn_00000000000000000001');
const blob = (hash: string) => ({ hash, size: 3 });
const file = (hash: string): FoundOutput => ({ kind: 'file', blob: blob(hash) });
const undeclared = (size: number): FoundOutput => ({ kind: 'unasked', size });

const request: ExecRequest = {
  id: 'exec_1',
  tenant: 'acme',
  turn,
  language: 'python',
  code: '',
  contract: [{ filepath: 'outputs/asked.txt', description: '', visibility: 'external' }],
  inputs: [
    { filepath: 'files/given.txt', blob: blob('old'), writable: true },
    { filepath: 'outputs/given.txt', blob: blob('old'), writable: true },
  ],
  granted: [],
  limits: { timeoutMs: 1, memoryMb: 1, fileMb: 1, workspaceMb: 1, processes: 1 },
};

test('only undeclared and changed files are reported', () => {
  const found = new Map<string, FoundOutput>([
    ['outputs/asked.txt', file('a')],
    [`${turn}/outputs/asked.txt`, { kind: 'missing' }],
    ['outputs/given.txt', undeclared(3)],
    ['outputs/new.txt', undeclared(3)],
    ['files/given.txt', file('old')],
    [`${turn}/files/new.txt`, file('new')],
    ['files/locked.txt', { kind: 'refused', code: 'artifact_not_readable' }],
    ['files/a\nb', undeclared(1)],
  ]);
  expect(undeclaredOutputs(found, request)).toEqual([
    { kind: 'left', filepath: 'outputs/new.txt', size: 3 },
    { kind: 'kept', filepath: 'files/new.txt', blob: blob('new') },
    { kind: 'left', filepath: 'files/locked.txt', size: 0, code: 'artifact_not_readable' },
  ]);
});

test('a file that changed in one of its places is kept; one that changed in both is ambiguous', () => {
  const once = new Map([
    ['files/given.txt', file('old')],
    [`${turn}/files/given.txt`, file('new')],
  ]);
  expect(undeclaredOutputs(once, request)).toMatchObject([{ kind: 'kept', blob: blob('new') }]);
  const twice = new Map([
    ['files/b.txt', file('one')],
    [`${turn}/files/b.txt`, file('two')],
  ]);
  expect(undeclaredOutputs(twice, request)).toEqual([
    { kind: 'left', filepath: 'files/b.txt', size: 3, code: 'ambiguous_output' },
  ]);
});
