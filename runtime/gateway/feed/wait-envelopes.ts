import type { JsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import { type EnvelopeBody, step, type TurnContext } from './envelope-body.ts';
import { objectOf, previewJson, textOf, withoutUndefined } from './wire-json.ts';

/** The state of a waiting call. */
export const waitStates: ReadonlyMap<unknown, string> = new Map([
  ['approval', 'awaiting_approval'],
  ['external', 'external'],
]);

export function approvalRequested(block: Block, { agent }: TurnContext): readonly EnvelopeBody[] {
  const { input, ...rest } = objectOf(block.data);
  const data = { ...rest, ...(input === undefined ? {} : { input: previewJson(input) }) };
  const asks = textOf(rest['tool'] ?? rest['kind']);
  const event = { ...step(agent, asks, 'started'), title: textOf(rest['title']) };
  return [{ type: 'chat.approval', event, data }];
}

/** Clients remove the question; a call that was allowed runs now. */
export function approvalClosed(block: Block, context: TurnContext): readonly EnvelopeBody[] {
  const { agent } = context;
  const { call } = block;
  const decision = objectOf(block.data);
  const event = step(agent, 'approval.closed', 'completed');
  const data = withoutUndefined({ ...decision, call });
  const closed: EnvelopeBody = { type: 'approval.closed', event, data };
  // After a decision about a failure or a limit nothing runs.
  const isAboutRun = call !== undefined && decision['kind'] === undefined;
  if (decision['outcome'] !== 'allowed' || !isAboutRun) return [closed];
  const { tool = '', input = null } = context.call(call) ?? {};
  const running = { call, tool, input: previewJson(input), state: 'running' };
  return [closed, { type: 'chat.tool', event: step(agent, tool, 'running'), data: running }];
}

/** For clients that perform this tool; other clients show that it is running. */
export function clientCallStarted(
  block: Block,
  { agent, usage }: TurnContext,
): readonly EnvelopeBody[] {
  const data: JsonObject = { ...objectOf(block.data), usage: usage() };
  const call = block.call ?? '';
  const tool = textOf(data['tool']);
  const shown = { call, tool, input: previewJson(data['input']), state: 'external' };
  const running: EnvelopeBody = {
    type: 'chat.tool',
    event: step(agent, tool, 'running'),
    data: shown,
  };
  // The turn does not wait for its result.
  if (data['handed_off'] === true || data['task'] !== undefined) return [running];
  return [running, { type: 'external.call', event: step(agent, tool, 'started'), data }];
}

/** Names the conversation in which another agent works on the call, or on a step of its plan. */
export function agentCallStarted(block: Block, { agent }: TurnContext): readonly EnvelopeBody[] {
  const { input: _, lent: __, ...data } = objectOf(block.data);
  return [{ type: 'agent.call', event: step(agent, textOf(data['tool']), 'started'), data }];
}

/** The steps that agents work on. Other envelopes follow when each starts and ends. */
export function agentPlanned(block: Block, { agent }: TurnContext): readonly EnvelopeBody[] {
  const data = objectOf(block.data);
  return [{ type: 'agent.plan', event: step(agent, textOf(data['tool']), 'started'), data }];
}

/** The agent's answer is in its own conversation. */
export function agentEnded(block: Block, { agent }: TurnContext): readonly EnvelopeBody[] {
  const { ret: _, ...data } = objectOf(block.data);
  const state = data['ok'] === true ? 'completed' : 'error';
  return [{ type: 'agent.result', event: step(agent, textOf(data['step']), state), data }];
}

/** Not sent if the model had already read the event: then nothing was taken back. */
export function eventRecalled(block: Block, { landed }: TurnContext): readonly EnvelopeBody[] {
  const { event_id } = objectOf(block.data);
  if (landed.has(textOf(event_id))) return [];
  const data = withoutUndefined({ event_id, path: block.path });
  return [
    { type: 'event.recalled', event: step(block.author, 'event.recalled', 'completed'), data },
  ];
}
