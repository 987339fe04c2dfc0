import { HttpAgent } from '@ag-ui/client';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { runs } from '../../../tools/runs.ts';
import { openStage } from '../stage.ts';
import { allEvents, type ServerEvent } from './events.ts';
import { RandomTurn, type TurnStep, turnStep } from './random-turn.ts';

const path = '/api/chat/dev/dev/conversations/conv_a/stream';

/** The events of an unbroken stream, and of one that is cut after some of them and resumed. */
async function play(as: string, steps: readonly TurnStep[], keeps: readonly number[]) {
  await using stage = await openStage();
  const watch = (headers = {}) =>
    fetch(new URL(`${path}?as=${as}`, stage.gateway.url), { headers }).then(allEvents);
  const turn = await RandomTurn.open(stage);
  const live = watch();
  for (const step of steps) await turn.play(step);
  const answer = await turn.end();
  const whole = await live;
  const joined: (readonly ServerEvent[])[] = [await watch()];
  for (const keep of keeps) {
    const first = whole.slice(0, 1 + (keep % whole.length));
    const id = first.at(-1)?.id ?? '';
    const rest = first.length === whole.length ? [] : await watch({ 'last-event-id': id });
    joined.push([...first, ...rest]);
  }
  return { answer, whole, joined };
}

/** The messages that the official client has in the end; it verifies the order of the events. */
async function messagesOf(events: readonly ServerEvent[]): Promise<unknown> {
  const body = events.map(({ data }) => `data: ${data}\n\n`).join('');
  const headers = { 'content-type': 'text/event-stream' };
  const agent = new HttpAgent({
    url: 'http://localhost/',
    fetch: async () => new Response(body, { headers }),
  });
  await agent.runAgent();
  return agent.messages;
}

const fim = z.object({ status: z.string(), content: z.string().optional() });

/** The answer as a client of FIM One shows it: a start begins it again. */
function answerOf(events: readonly ServerEvent[]): string {
  let answer = '';
  for (const { event, data } of events) {
    if (event !== 'answer') continue;
    const { status, content = '' } = fim.parse(JSON.parse(data));
    answer = status === 'start' ? '' : answer + content;
  }
  return answer;
}

const turns = {
  steps: fc.array(turnStep, { maxLength: 20 }),
  keeps: fc.array(fc.nat(1_000), { minLength: 2, maxLength: 4 }),
};

// proves: endpoints.resume
test('a client of AG-UI that is cut off after any event ends with the messages of an unbroken run', async () => {
  await fc.assert(
    fc.asyncProperty(turns.steps, turns.keeps, async (steps, keeps) => {
      const { answer, whole, joined } = await play('ag-ui', steps, keeps);
      const messages = await messagesOf(whole);
      expect(messages).toContainEqual(expect.objectContaining({ content: answer }));
      for (const each of joined) expect(await messagesOf(each)).toEqual(messages);
    }),
    runs(25),
  );
});

// proves: endpoints.resume
test('a client of FIM One that is cut off after any event ends with the answer', async () => {
  await fc.assert(
    fc.asyncProperty(turns.steps, turns.keeps, async (steps, keeps) => {
      const { answer, whole, joined } = await play('fim', steps, keeps);
      for (const each of [whole, ...joined]) {
        expect(answerOf(each)).toBe(answer);
        expect(each.filter(({ event }) => event === 'done')).toHaveLength(1);
      }
    }),
    runs(25),
  );
});
