import { toCallId } from '../../../../../runtime/timeline/ids.ts';
import { ask, Player, type Stage } from '../../stage.ts';

export async function begin(stage: Stage, conversation_id: string): Promise<Player> {
  const message = { conversation_id, message_id: `m_${conversation_id}`, text: 'Hello' };
  await ask(stage.connect(), 'chat_message', message);
  return Player.take(stage.deps, conversation_id);
}

export async function answer(player: Player, text: string): Promise<void> {
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

const call = { author: 'agent' as const, call: toCallId('tc_1') };
const delegated = {
  ...{ call: 'tc_1', tool: 'agent.desk', agent: 'helper', input: {} },
  ...{ conversation: 'conv_child', deadline: '2099-01-01T00:00:00.000Z' },
};

/** A turn whose only call another agent works on; its conversation is opened in between. */
export async function delegate(stage: Stage, parent: Player): Promise<void> {
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

/** A call of `parent` that runs a plan: each step has an agent, and all of them end before the call. */
export async function runPlan(
  stage: Stage,
  parent: Player,
  steps: readonly string[],
): Promise<void> {
  const tool = 'react.run_plan';
  await parent.append({ ...call, type: 'react.tool.call', data: { tool, input: {} } });
  for (const step of steps) {
    const data = { ...delegated, step, conversation: `conv_${step}` };
    await parent.append({ ...call, author: 'system', type: 'agent.call', data });
  }
  for (const step of steps) {
    const child = await begin(stage, `conv_${step}`);
    await answer(child, `Did ${step}.`);
    const data = { call: call.call, step, ok: true, conversation: `conv_${step}` };
    await parent.append({ ...call, author: 'system', type: 'agent.result', data });
  }
  await parent.append({ ...call, type: 'react.tool.result', data: { ok: true, ret: 'All done.' } });
  await answer(parent, 'Here it is.');
}
