import { expect, test } from 'vitest';
import type { ExecEnvelope, Sandbox } from '../../../runtime/tools/ports/sandbox.ts';
import { checkSandbox } from '../../../supervisor/execution/self-test.ts';

const all = 'user capabilities filter sockets network namespaces secrets';

/** A sandbox whose program prints that these checks passed. */
function sandboxWith(passed: string, more: Partial<Sandbox> = {}): Sandbox {
  const envelope = { ok: true, user_out_tail: `${passed}\nnumpy\n`, limits: { memory: 'kernel' } };
  return {
    ...{ backend: 'test', languages: ['python'] },
    async *run() {
      yield { kind: 'done', envelope: envelope as unknown as ExecEnvelope };
    },
    ...more,
  };
}

const check = (sandbox: Sandbox) =>
  checkSandbox(sandbox, { signal: new AbortController().signal, id: 'exec_check' });

// proves: exec.self-test
test('a sandbox in which any check fails is refused', async () => {
  expect(await check(sandboxWith(all))).toMatchObject({ ok: true, libraries: ['numpy'] });
  for (const name of all.split(' ')) {
    const because = `isolation checks failed: ${name}`;
    expect(await check(sandboxWith(all.replace(name, '')))).toEqual({ ok: false, because });
  }
});

// proves: exec.self-test
test('where programs share a network, they may see its interfaces but create no sockets', async () => {
  const shared = (passed: string) => check(sandboxWith(passed, { sharesNetwork: true }));
  expect(await shared(all.replace('network', ''))).toMatchObject({ ok: true });
  expect(await shared(all.replace('sockets network', ''))).toMatchObject({
    because: 'isolation checks failed: sockets',
  });
});
