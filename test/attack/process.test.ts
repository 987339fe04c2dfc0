import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openProcessSandbox } from '../../runtime/adapters/process/sandbox.ts';
import { Scope } from '../../runtime/base/scope.ts';
import type { Sandbox } from '../../runtime/tools/sandbox.ts';
import { noLimits, sandboxParts } from '../integration/exec-kit.ts';
import {
  attacked,
  attackedByChild,
  open,
  openWorld,
  probesMin,
  unprotected,
  unprovable,
  type World,
} from './attacks.ts';

// proves: i6.shares, i6.no-dumps, i6.no-handle, i6.no-sockets, i6.nobody-outside, i6.no-secrets, i6.attacked

const languages = ['python', 'javascript'] as const;
const scope = new Scope();
let world: World;
beforeAll(async () => {
  world = await openWorld(scope);
});
afterAll(() => scope[Symbol.asyncDispose]());

test('the probes work: without protection each succeeds, and there are enough of them', async () => {
  const verdicts = new Map<string, string>();
  for (const language of languages) {
    for (const [name, found] of await unprotected(language, world)) verdicts.set(name, found);
  }
  const failed = [...verdicts].filter(
    ([name, found]) => !found.startsWith('open') && !Object.hasOwn(unprovable, name),
  );
  expect(failed).toEqual([]);
  expect(verdicts.size).toBeGreaterThanOrEqual(probesMin.python + probesMin.javascript);
});

for (const pool of [0, 1]) {
  describe(pool === 0 ? 'an executor of its own' : 'an executor that waited', () => {
    let sandbox: Sandbox;
    beforeAll(async () => {
      const opened = scope.own(await openProcessSandbox({ ...sandboxParts(), pool }));
      opened.keep?.(languages.map((language) => ({ language, limits: noLimits })));
      sandbox = opened;
    });

    test.each(languages)('no probe gets out of the process sandbox (%s)', async (language) => {
      const verdicts = await attacked(sandbox, language, world);
      expect(open(verdicts)).toEqual([]);
      expect(verdicts.size).toBeGreaterThanOrEqual(probesMin[language]);
    });

    test('no probe gets out of what a program in JavaScript starts', async () => {
      const verdicts = await attackedByChild(sandbox, world);
      expect(open(verdicts)).toEqual([]);
      expect(verdicts.size).toBeGreaterThanOrEqual(probesMin.python);
    });
  });
}
