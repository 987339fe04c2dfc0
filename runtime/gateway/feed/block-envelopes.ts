import type { JsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import { inDoubtCode } from '../../tools/results/in-doubt.ts';
import { linkFormat } from './canvas-links.ts';
import { type EnvelopeBody, type EnvelopeMapper, step, type TurnContext } from './envelope-body.ts';
import { feedbackChanged } from './feedback.ts';
import { toWireSource } from './turn-state.ts';
import {
  agentCallStarted,
  agentEnded,
  agentPlanned,
  approvalClosed,
  approvalRequested,
  clientCallStarted,
  eventRecalled,
  waitStates,
} from './wait-envelopes.ts';
import { objectOf, previewJson, textOf, withoutUndefined } from './wire-json.ts';
import { toWireResult } from './wire-result.ts';

/**
 * Maps each type of block to its envelopes. Types that are not listed are not sent: internal notes, model calls,
 * summaries and types that a later version adds. Notices are not sent either, except for a doubt.
 */
const mappers: ReadonlyMap<string, EnvelopeMapper> = new Map(
  Object.entries({
    'turn.open': turnOpened,
    'turn.close': turnClosed,
    'user.prompt': eventAccepted,
    'user.attachment': attachmentAccepted,
    'round.open': roundOpened,
    'round.close': roundClosed,
    'react.thinking': streamed,
    'react.notes': linkedText,
    'react.code': streamed,
    canvas: linkedText,
    timeline_text: linkedText,
    'react.plan': (block, { agent }) => [
      { type: 'plan', event: step(agent, 'plan', 'update'), data: objectOf(block.data) },
    ],
    'approval.request': approvalRequested,
    'approval.decision': () => [],
    'approval.close': approvalClosed,
    'external.call': clientCallStarted,
    'agent.call': agentCallStarted,
    'agent.plan': agentPlanned,
    'agent.result': agentEnded,
    'external.result': () => [],
    'external.recall': eventRecalled,
    feedback: feedbackChanged,
    'tools.selection': ({ data }, { agent }) => [
      {
        type: 'tools.selecting',
        event: step(agent, 'tools.selecting', 'started'),
        data: withoutUndefined({ of: objectOf(data)['of'] }),
      },
    ],
    'tools.visibility': toolsSelected,
    'react.tool.call': toolCalled,
    'react.tool.progress': toolProgressed,
    'react.tool.result': toolFinished,
    'react.notice': doubted,
    'artifact.file': fileMade,
    'source.row': sourceFound,
    'assistant.completion': answered,
    'compact.open': compactionBegun,
    'compact.close': compactionEnded,
  } satisfies Record<string, EnvelopeMapper>),
);

/** Whether a block is visible to clients. */
export function isPublic({ type, data }: Block): boolean {
  if (type === 'react.notice') return objectOf(data)['code'] === inDoubtCode;
  return mappers.has(type) || type.startsWith('external.');
}

/** The envelopes of one block, in the order in which they are sent. */
export function toEnvelopes(block: Block, context: TurnContext): readonly EnvelopeBody[] {
  const mapper = mappers.get(block.type);
  if (mapper) return mapper(block, context);
  return block.type.startsWith('external.') ? eventAccepted(block) : [];
}

function turnOpened(block: Block, { agent }: TurnContext): readonly EnvelopeBody[] {
  const { bundle, text } = objectOf(block.data);
  const opened = withoutUndefined({ text: textOf(text), bundle_id: bundle, agent_id: agent });
  return [
    { type: 'chat.start', event: step(agent, 'turn', 'started'), data: opened },
    status(block, agent, 'in_progress'),
  ];
}

function turnClosed(block: Block, context: TurnContext): readonly EnvelopeBody[] {
  const { agent } = context;
  const closed = objectOf(block.data);
  // The text as written, with the sources that its citations name: the client links them.
  const common = { ...closed, sources: context.cited.map(toWireSource) };
  if (closed['reason'] !== 'failed') {
    const body = { type: 'chat.complete', event: step(agent, 'turn', 'completed'), data: common };
    return [body, status(block, agent, 'idle')];
  }
  const { code, message } = objectOf(closed['error']);
  const error = {
    code: textOf(code) || 'turn_failed',
    message: textOf(message) || 'the turn could not be finished',
  };
  const failed = { ...common, ...error };
  const body: EnvelopeBody = {
    type: 'chat.error',
    event: step(agent, 'turn', 'error'),
    data: failed,
  };
  return [body, status(block, agent, 'idle')];
}

function eventAccepted(block: Block): readonly EnvelopeBody[] {
  const kind = block.type.startsWith('external.') ? block.type.slice('external.'.length) : 'prompt';
  const { payload } = objectOf(block.data);
  const data = withoutUndefined({
    kind,
    text: block.text ?? '',
    message_id: block.event,
    path: block.path,
    payload,
  });
  return [
    { type: 'event.accepted', event: step(block.author, 'event.accepted', 'completed'), data },
  ];
}

function attachmentAccepted(block: Block, context: TurnContext): readonly EnvelopeBody[] {
  const { filename, size } = objectOf(block.data);
  const resource = context.resource(block.path);
  const item = withoutUndefined({ path: block.path, resource, filename, mime: block.mime, size });
  const data = withoutUndefined({ items: [item], message_id: block.event });
  const event = step(block.author, 'chat.attachments', 'completed');
  return [{ type: 'chat.attachments', event, data }];
}

function roundOpened(block: Block, { agent }: TurnContext): readonly EnvelopeBody[] {
  const { round, phase, protocol, landed } = objectOf(block.data);
  const landings = (Array.isArray(landed) ? landed : []).map((each): EnvelopeBody => {
    const data = { ...objectOf(each), turn_id: block.turn };
    return { type: 'event.landed', event: step(agent, 'event.landed', 'completed'), data };
  });
  const data = withoutUndefined({ round, phase, protocol });
  return [{ type: 'round.open', event: step(agent, 'round.open', 'started'), data }, ...landings];
}

function roundClosed(block: Block, { agent }: TurnContext): readonly EnvelopeBody[] {
  const { round, outcome } = objectOf(block.data);
  const data = withoutUndefined({ round, outcome });
  return [{ type: 'round.close', event: step(agent, 'round.close', 'completed'), data }];
}

function linkedText(block: Block, context: TurnContext): readonly EnvelopeBody[] {
  const format = linkFormat(block);
  if (format === undefined) return streamed(block, context);
  return streamed({ ...block, text: context.linked(block.text ?? '', format) }, context);
}

/** A block made from a stream: it replaces the stream at the client. */
function streamed(block: Block, { agent }: TurnContext): readonly EnvelopeBody[] {
  const { type, text = '', mime, path, call } = block;
  const data = withoutUndefined({ ...objectOf(block.data), text, mime, path, call });
  return [{ type, event: step(agent, type, 'completed'), data }];
}

/** The tools or groups that are in view from now on, and why. */
function toolsSelected(block: Block, { agent }: TurnContext): readonly EnvelopeBody[] {
  const { mode, groups, tools, reason, of } = objectOf(block.data);
  const data = withoutUndefined({ mode, groups, tools, reason, of, call: block.call });
  return [{ type: 'tools.selected', event: step(agent, 'tools.selected', 'completed'), data }];
}

function toolCalled(block: Block, { agent }: TurnContext): readonly EnvelopeBody[] {
  const { tool, input, waits } = objectOf(block.data);
  const name = textOf(tool);
  const state = waitStates.get(waits) ?? 'running';
  const data = { call: block.call ?? '', tool: name, input: previewJson(input), state };
  return [{ type: 'chat.tool', event: step(agent, name, 'started'), data }];
}

function toolProgressed(block: Block, context: TurnContext): readonly EnvelopeBody[] {
  const { n, fraction, data: own, append } = objectOf(block.data);
  const call = block.call ?? '';
  const said = { call, tool: context.call(call)?.tool, text: block.text };
  const data = withoutUndefined({ ...said, n, fraction, data: own, append });
  return [
    {
      type: 'chat.tool.progress',
      event: step(context.agent, 'chat.tool.progress', 'update'),
      data,
    },
  ];
}

function toolFinished(block: Block, context: TurnContext): readonly EnvelopeBody[] {
  const call = context.call(block.call ?? '');
  const outcome = objectOf(block.data);
  const tool = call?.tool ?? '';
  const shown = { input: previewJson(call?.input), result: toWireResult(block, outcome) };
  const data = { call: block.call ?? '', tool, state: 'done', ...shown };
  const event = step(context.agent, tool, outcome['ok'] === false ? 'error' : 'completed');
  return [{ type: 'chat.tool', event, data }];
}

/** It is unknown whether the calls took effect: people have to check for themselves. */
function doubted(block: Block, { agent }: TurnContext): readonly EnvelopeBody[] {
  if (!isPublic(block)) return [];
  const { code: _, ...doubt } = objectOf(block.data);
  const data = { call: block.call ?? '', text: block.text ?? '', ...doubt };
  return [{ type: 'chat.doubt', event: step(agent, 'chat.doubt', 'update'), data }];
}

function fileMade(block: Block, { agent, resource }: TurnContext): readonly EnvelopeBody[] {
  const { filename, size, visibility, description } = objectOf(block.data);
  if (visibility !== 'external') return [];
  const { path, mime, text: preview } = block;
  const item = withoutUndefined({
    ...{ path, resource: resource(path), filename, mime, size },
    ...{ visibility, description, preview },
  });
  const data = withoutUndefined({ items: [item], call: block.call });
  return [{ type: 'chat.files', event: step(agent, 'chat.files', 'completed'), data }];
}

function sourceFound(block: Block, { agent }: TurnContext): readonly EnvelopeBody[] {
  const data = { items: [objectOf(block.data)] };
  return [{ type: 'chat.citations', event: step(agent, 'chat.citations', 'update'), data }];
}

function answered(block: Block, context: TurnContext): readonly EnvelopeBody[] {
  const { agent, cited } = context;
  const { followups, ...rest } = objectOf(block.data);
  const raw = block.text ?? '';
  const data = withoutUndefined({
    ...{ ...rest, sources: cited.length > 0 ? cited.map(toWireSource) : undefined },
    text: context.linked(raw, 'markdown'),
    raw,
    path: block.path,
  });
  const body: EnvelopeBody = {
    type: 'chat.completion',
    event: step(agent, 'chat.completion', 'completed'),
    data,
  };
  if (!Array.isArray(followups) || followups.length === 0) return [body];
  const event = step(agent, 'chat.followups', 'completed');
  return [body, { type: 'chat.followups', event, data: { items: followups } }];
}

function compactionBegun({ seq, data }: Block, { agent }: TurnContext): readonly EnvelopeBody[] {
  const opened = objectOf(data);
  const compaction = withoutUndefined({
    ...compactionOf(opened, seq),
    before_tokens: opened['tokens'],
  });
  return [
    { type: 'chat.compaction', event: step(agent, 'compaction', 'started'), data: compaction },
  ];
}

function compactionEnded({ seq, data }: Block, { agent }: TurnContext): readonly EnvelopeBody[] {
  const closed = objectOf(data);
  const { of, status, reason, kind, turns, rounds, tokens_before, tokens_after } = closed;
  const compaction = withoutUndefined({
    ...compactionOf(closed, typeof of === 'number' ? of : seq),
    kind,
    before_tokens: tokens_before,
    after_tokens: tokens_after,
    compacted_turns: turns,
    compacted_rounds: rounds,
    reason,
  });
  const state = status === 'completed' || status === 'skipped' ? status : 'error';
  return [{ type: 'chat.compaction', event: step(agent, 'compaction', state), data: compaction }];
}

/** The id of a compaction is the number of the block that started it. */
function compactionOf({ cause, room, max_tokens }: JsonObject, opened: number): JsonObject {
  return withoutUndefined({
    compaction_id: String(opened),
    trigger_reason: cause,
    threshold_tokens: room,
    max_tokens,
  });
}

function status(block: Block, agent: string, state: 'in_progress' | 'idle'): EnvelopeBody {
  const data = { state, current_turn_id: block.turn };
  return { type: 'conv.status', event: step(agent, 'conversation', 'update'), data };
}
