import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProcessSandbox } from '../../runtime/adapters/process/sandbox.ts';
import { Scope } from '../../runtime/base/scope.ts';
import type { Sandbox } from '../../runtime/tools/sandbox.ts';
import { sandboxParts } from '../integration/exec-kit.ts';
import { attacked, open, openWorld, provable, unprotected, type World } from './attacks.ts';

// proves: i6.no-sockets, i6.nobody-outside, i6.no-secrets

const scope = new Scope();
let world: World;
let sandbox: Sandbox;
beforeAll(async () => {
  world = await openWorld(scope);
  sandbox = scope.own(await openProcessSandbox({ ...sandboxParts(), pool: 1 }));
});
afterAll(() => scope[Symbol.asyncDispose]());

test('no probe in Python gets out of the process sandbox', async () => {
  const verdicts = await attacked(sandbox, 'python', world);
  expect(open(verdicts)).toEqual([]);
  expect(verdicts.size).toBeGreaterThan(75);
});

test('no probe in JavaScript gets out of the process sandbox', async () => {
  const verdicts = await attacked(sandbox, 'javascript', world);
  expect(open(verdicts)).toEqual([]);
  expect(verdicts.size).toBeGreaterThan(13);
});

test('the probes work: without protection they are open', async () => {
  const bare = open(await unprotected('python', world));
  expect(provable.filter((name) => !bare.includes(name))).toEqual([]);
  const node = [...open(await unprotected('javascript', world))];
  expect(node).toEqual(
    expect.arrayContaining(['node_connects', 'node_connects_abstract', 'node_listens']),
  );
  expect(node).toEqual(
    expect.arrayContaining(['node_fetches', 'node_inspector', 'node_raw_wrap', 'node_datagram']),
  );
});
