import { openRuntime, outline } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle } from './bundle.ts';

const props = { prometheus: 'http://prom.test', services: ['checkout'] };
const desk = { bundle, props, exec: 'process', fetch: () => Response.json([310, 840]) } as const;
test('a question is answered from the metrics', async () => {
  const look = {
    thinking: 'Look first.',
    call: { tool: 'metrics.query', input: { service: 'checkout' } },
  };
  await using runtime = await openRuntime({
    ...desk,
    model: [look, { answer: 'p95 is 840 ms [[S:1]].' }],
  });
  const turn = await runtime.send('Why is checkout slow?');
  expect(await turn.done()).toMatchObject({ reason: 'completed', text: 'p95 is 840 ms [[S:1]].' });
  expect(outline(await turn.blocks(), 'react.tool', 'assistant')).toEqual([
    'react.tool.call metrics.query',
    'react.tool.progress reading 60 minutes of checkout',
    'react.tool.result ok',
    'assistant.completion',
  ]);
});
test('a steer stops the generation and is answered in the same turn', async () => {
  await using runtime = await openRuntime({
    ...desk,
    model: [{ thinking: 'A long plan', hold: 'planning' }, { answer: 'Only 840 ms.' }],
  });
  const turn = await runtime.send('Review the whole year');
  await runtime.model.held('planning'); // the reply stands still here for as long as the test wants
  await turn.steer('only the last hour');
  expect((await turn.done()).text).toBe('Only 840 ms.');
  expect(runtime.model.requests[1]?.text).toContain('only the last hour');
});
test('generated code calls a tool and delivers a file', async () => {
  const code =
    'd = await tools.metrics.query(service="checkout")\nopen(f"{OUTPUT_DIR}/outputs/p95.csv", "w").write(str(d["p95"]))';
  const input = { contract: [{ filepath: 'outputs/p95.csv', description: 'the series' }] };
  const program = { code, call: { tool: 'exec_tools.execute_code_python', input } };
  await using runtime = await openRuntime({ ...desk, model: [program, { answer: 'Here it is.' }] });
  const turn = await runtime.send('Give me a file');
  expect((await turn.done()).files.map((file) => file.path)).toEqual([
    `fi:${turn.id}.outputs/p95.csv`,
  ]);
});
// proves: approval.once
test('a restart waits for a person, also over a crash, and then happens once', async () => {
  const asked = { tool: 'service.restart', input: { service: 'checkout', reason: 'slow' } };
  const sent: string[] = [];
  await using runtime = await openRuntime({
    ...desk,
    exec: 'off',
    secrets: { DEPLOY_KEY: 'open-sesame' },
    fetch: (request) => {
      sent.push(request.url);
      return new Response('ok');
    },
    model: [{ call: asked }, { answer: 'It is up again.' }],
  });
  const conversation = runtime.connect().conversation();
  const turn = await conversation.send('Restart checkout');
  for await (const event of conversation.events()) {
    if (event.type !== 'chat.approval') continue;
    expect(event.data).toMatchObject({ title: 'Restart checkout?', detail: 'slow' });
    await runtime.crash();
    expect(sent).toEqual([]);
    await conversation.decide(event.data.request, { allow: true });
    break;
  }
  expect((await turn.done()).text).toBe('It is up again.');
  expect(sent).toEqual(['https://deploy.acme.io/restart/checkout']);
  expect(outline(await turn.blocks(), 'approval', 'react.tool.result')).toEqual([
    'approval.request',
    'approval.decision',
    'approval.close',
    'react.tool.result ok',
  ]);
});
// proves: operations.pager
test('the pager opens a turn of the person on call', async () => {
  const secrets = { PAGER_KEY: 'ring-ring' };
  const model = [{ answer: 'I look at it.' }];
  await using runtime = await openRuntime({ ...desk, exec: 'off', secrets, model });
  const page = new Request('http://pager.test', {
    method: 'POST',
    headers: { 'x-pager-key': 'ring-ring' },
    body: JSON.stringify({ oncall: 'ann', service: 'checkout', text: 'p95 is 840 ms' }),
  });
  const answer = await runtime.operation('pager', page);
  expect(await answer.json()).toMatchObject({ ok: true, ret: { status: 'started' } });
  const client = runtime.connect({ user: 'ann' });
  const [listed] = (await client.conversations()).items;
  expect(listed?.title).toBe('Pager: checkout');
  const conversation = client.conversation(listed?.id ?? '');
  for await (const event of conversation.events()) if (event.type === 'chat.complete') break;
  expect(runtime.model.requests[0]?.text).toContain('ALERT checkout: p95 is 840 ms');
});
