import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineBundle, defineTool } from '../../../../runtime/sdk/index.ts';
import { openRuntime } from '../../../../runtime/testing/index.ts';

const save = defineTool({
  id: 'disk.save',
  description: 'Saves.',
  input: z.object({}),
  onFailure: 'escalate',
  run: () => {
    throw new Error('no disk');
  },
});
const agent = defineAgent({ id: 'main', instruction: 'x', tools: [save] });
const bundle = defineBundle({ id: 'acme', version: '1', agents: [agent] });
const model = [{ call: { tool: 'disk.save' } }, { answer: 'Not saved.' }];

// proves: failure.escalate
test.each([
  [true, 'allowed'],
  [false, 'denied'],
])(
  'a client that answers %s about a failed tool lets the turn go on or fail',
  async (allow, outcome) => {
    await using runtime = await openRuntime({ bundle, model });
    const conversation = runtime.connect({ user: 'ann' }).conversation();
    const turn = await conversation.send('Go');
    let asked = '';
    let closed: unknown;
    let last = '';
    for await (const event of conversation.events()) {
      if (event.type === 'chat.approval') {
        expect(event.data).toMatchObject({ kind: 'tool_failure', tool: 'disk.save' });
        expect(conversation.state.status).toBe('parked');
        asked = event.data.request;
        await conversation.decide(asked, { allow });
      }
      if (event.type === 'chat.tool') last = event.data.state;
      if (event.type === 'chat.step' && event.event.step === 'approval.closed') {
        closed = event.data;
        break;
      }
    }
    expect(closed).toMatchObject({ request: asked, kind: 'tool_failure', outcome });
    expect(last).toBe('done');
    const ended = await turn.done();
    if (allow) expect(ended).toMatchObject({ reason: 'completed', text: 'Not saved.' });
    else expect(ended).toMatchObject({ reason: 'failed', error: { code: 'TOOL_FAILED' } });
  },
);
