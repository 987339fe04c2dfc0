import { HttpAgent } from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';
import { expect, test } from 'vitest';
import { agUi } from '../../../../runtime/gateway/projections/ag-ui/ag-ui.ts';
import { corpus } from './corpus.ts';
import { expectGolden, framesOf } from './golden-frames.ts';

const names = Object.keys(corpus);

/** The official client, which verifies the order of events, fed with the frames of a turn. */
async function runOf(name: string) {
  const body = framesOf(agUi().open, name).map(({ data }) => `data: ${data}\n\n`);
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = async () => new Response(body.join(''), { headers });
  const agent = new HttpAgent({ url: 'http://localhost/', threadId: 'conv_a', fetch });
  const failures: string[] = [];
  const onRunErrorEvent = ({ event: { message } }: { event: { message: string } }) => {
    failures.push(message);
  };
  await agent.runAgent({}, { onRunErrorEvent });
  return { agent, failures };
}

function answersOf({ messages }: HttpAgent): readonly string[] {
  return messages.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content === 'string' && content !== '' ? [content] : [],
  );
}

// proves: endpoints.ag-ui
test('every turn of the corpus has its recorded frames', () => expectGolden('ag-ui', agUi().open));

// proves: endpoints.ag-ui
test.each(names)(
  '%s: every event is valid, and the verifier of the client accepts their order',
  async (name) => {
    for (const { data } of framesOf(agUi().open, name)) {
      const event: unknown = JSON.parse(data);
      expect([event, EventSchemas.safeParse(event).success]).toEqual([event, true]);
    }
    const { failures } = await runOf(name);
    expect(failures).toEqual(name === 'failed' ? ['The model does not answer.'] : []);
  },
);

test.each([
  ['plain answer', ['It is 3.']],
  ['a retried generation', ['It is 3.']],
  ['a takeover', ['It is 3.']],
  ['a followup and a steer', ['21']],
  ['a canvas and sources', ['It rains [Climate normals](https://example.org/normals) a lot.']],
])('%s: the client has the answer and nothing that was discarded', async (name, answers) => {
  const { agent } = await runOf(name);
  expect(answersOf(agent)).toEqual(answers);
});

test('a tool call and its result are messages of the client', async () => {
  const { agent } = await runOf('a tool');
  expect(agent.messages.find(({ role }) => role === 'tool')).toMatchObject({
    toolCallId: 'tc_1',
    content: '{"degrees":21}',
  });
});
