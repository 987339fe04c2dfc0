import { openRuntime } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle } from './with-jobs.ts';

test('a reader is reminded, and an unreachable mail server causes a retry', async () => {
  const answers = [new Response('', { status: 503 }), new Response('')];
  const fetch = () => answers.shift() ?? new Response('');
  await using runtime = await openRuntime({ bundle, model: [], fetch });
  const mail = { reader: 'ann', title: 'Emma' };
  await expect(runtime.job('remind', mail)).rejects.toThrow('the mail server answers 503');
  await runtime.job('remind', mail);
  await runtime.job('closing');
});
