import { expect, test } from 'vitest';
import { z } from 'zod';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { ask, openStage, Player, type Stage } from '../stage.ts';
import { allEvents, type ServerEvent } from './events.ts';

const printed = z.object({
  message: z.object({ name: z.string() }).optional(),
  name: z.string().optional(),
});

async function begin(stage: Stage, conversation_id: string): Promise<Player> {
  const message = { conversation_id, message_id: `m_${conversation_id}`, text: 'Hello' };
  await ask(stage.connect(), 'chat_message', message);
  return Player.take(stage.deps, conversation_id);
}

async function answer(player: Player, text: string): Promise<void> {
  await player.append({
    type: 'round.open',
    author: 'system',
    data: { round: 1, phase: 'decision' },
  });
  await player.delta('answer', text);
  const data = { stream: `${player.turn}.1.answer.1`, n: 1, degraded: false };
  await player.append({ type: 'assistant.completion', author: 'agent', text, data });
  await player.close(text);
}

/** Who speaks and who ends, in order, each once in a row. */
function speakers(events: readonly ServerEvent[]): readonly string[] {
  const names = events.map(({ event, data }) => {
    const { message, name = '' } = printed.parse(JSON.parse(data));
    return event === 'end' ? `end of ${name}` : (message?.name ?? '');
  });
  return names.filter((name, at) => name !== names[at - 1]);
}

const call = { author: 'agent' as const, call: toCallId('tc_1') };
const delegated = {
  ...{ call: 'tc_1', tool: 'agent.desk', agent: 'helper', input: {} },
  ...{ conversation: 'conv_child', deadline: '2099-01-01T00:00:00.000Z' },
};

function watch(stage: Stage, headers: Record<string, string> = {}): Promise<Response> {
  const path = '/api/chat/dev/dev/conversations/conv_parent/stream?as=agentscope';
  return fetch(new URL(path, stage.gateway.url), { headers });
}

/** A turn whose only call another agent works on; its conversation is opened in between. */
async function delegate(stage: Stage, parent: Player): Promise<void> {
  await parent.append({
    ...call,
    type: 'react.tool.call',
    data: { tool: 'agent.desk', input: {} },
  });
  await parent.append({ ...call, author: 'system', type: 'agent.call', data: delegated });
  const child = await begin(stage, 'conv_child');
  await answer(child, 'Found it.');
  await parent.append({ ...call, type: 'react.tool.result', data: { ok: true, ret: 'Found it.' } });
  await answer(parent, 'Here it is.');
}

// proves: endpoints.delegates
test('an agent that works on a call appears on the stream of its caller, and ends before the result is shown', async () => {
  await using stage = await openStage();
  const parent = await begin(stage, 'conv_parent');
  const live = watch(stage);
  await delegate(stage, parent);
  const events = await allEvents(await live);
  expect(speakers(events)).toEqual(['main', 'end of main', 'system', 'main', 'end of main']);
  const texts = events.map(({ data }) => data).join('\n');
  expect([texts.includes('Found it.'), texts.includes('Here it is.')]).toEqual([true, true]);
  const later = await allEvents(await watch(stage));
  expect(speakers(later)).toEqual(speakers(events));
});

// proves: endpoints.delegates
test('a watcher that comes back after the result of the call is not shown its agent again', async () => {
  await using stage = await openStage();
  const parent = await begin(stage, 'conv_parent');
  const live = watch(stage);
  await delegate(stage, parent);
  const events = await allEvents(await live);
  const result = events.find(({ data }) => data.includes('tool_result'));
  const rest = await allEvents(await watch(stage, { 'last-event-id': result?.id ?? '' }));
  expect(speakers(rest)).toEqual(['main', 'end of main']);
});
