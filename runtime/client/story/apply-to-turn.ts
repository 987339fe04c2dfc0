import type { StoryPart, StoryTurn } from '../api/story.ts';
import type { ChatEvent } from '../api/types.ts';
import { applyDelta, applyFinished, applyProgram } from './apply-streams.ts';
import { addApproval, removeRecalled, settleApproval } from './approvals.ts';
import { count, fields, text } from './json-fields.ts';
import {
  addAttachments,
  addFiles,
  addMessage,
  applyCompaction,
  applyProgress,
  finishParts,
  markSeen,
  put,
  putDoubt,
  putPlan,
  putTool,
} from './parts.ts';
import { addMissingSecret, requireSecret } from './secret-requests.ts';
import { toolSelection } from './tool-selection.ts';

type Parts = readonly StoryPart[];
type Facts = Readonly<Record<string, unknown>>;

export function newTurn(event: ChatEvent): StoryTurn {
  const data = fields('data' in event ? event.data : undefined);
  return {
    ...{ id: event.turnId, seq: event.seq, startedAt: event.ts },
    ...{ bundle: text(data['bundle_id']), agent: text(data['agent_id']) },
    ...{ parts: [], sources: [], suggestions: [], feedback: undefined, end: undefined },
  };
}

/** The turn after one more of its events. */
export function applyToTurn(turn: StoryTurn, event: ChatEvent): StoryTurn {
  switch (event.type) {
    case 'chat.citations':
      return { ...turn, sources: putSources(turn.sources, event.data.items) };
    case 'chat.followups':
      return { ...turn, suggestions: event.data.items };
    case 'chat.complete':
    case 'chat.error':
      return endTurn(turn, event);
    default: {
      const parts = changeParts(turn, event);
      return parts === turn.parts ? turn : { ...turn, parts };
    }
  }
}

/** A source that is sent again, such as a hit whose page has been read, replaces its row. */
function putSources(
  sources: StoryTurn['sources'],
  items: StoryTurn['sources'],
): StoryTurn['sources'] {
  const rows = new Map([...sources, ...items].map((source) => [source.sid, source]));
  return [...rows.values()];
}

function changeParts({ parts, bundle }: StoryTurn, event: ChatEvent): Parts {
  switch (event.type) {
    case 'chat.delta':
      return applyDelta(parts, event);
    case 'chat.step':
      return applyStep(parts, event);
    case 'chat.tool':
      return addMissingSecret(putTool(parts, event), bundle, event);
    case 'chat.approval':
      return addApproval(parts, event);
    case 'chat.files':
      return addFiles(parts, event);
    case 'chat.compaction':
      return applyCompaction(parts, event);
    default:
      return parts;
  }
}

const steps: Readonly<Record<string, (parts: Parts, data: Facts) => Parts>> = {
  'event.accepted': addMessage,
  'event.landed': (parts, data) => markSeen(parts, text(data['event_id'])),
  'event.recalled': removeRecalled,
  'secret.required': requireSecret,
  'approval.closed': settleApproval,
  'chat.attachments': addAttachments,
  'chat.tool.progress': applyProgress,
  'chat.doubt': putDoubt,
  'stream.reset': (parts, data) => parts.filter(({ key }) => key !== data['stream']),
  plan: putPlan,
};

function applyStep(
  parts: Parts,
  { event: { step }, data: given, cursor, round }: ChatEvent & { type: 'chat.step' },
): Parts {
  const data = fields(given);
  const apply = steps[step];
  if (apply) return apply(parts, data);
  if (step.startsWith('chat.exec.')) return applyProgram(parts, step, data);
  const selection = toolSelection(step, data);
  if (selection) return put(parts, selection);
  return applyFinished(parts, { step, data, key: cursor, round });
}

function endTurn(
  turn: StoryTurn,
  event: ChatEvent & { type: 'chat.complete' | 'chat.error' },
): StoryTurn {
  const data = fields(event.data);
  const usage = fields(data['usage']);
  const failure = event.type === 'chat.error' ? event.data : { code: '', message: '' };
  const end = {
    reason: text(data['reason']),
    degraded: data['degraded'] === true,
    code: failure.code,
    message: failure.message,
    usage: {
      inputTokens: count(usage['input_tokens']),
      outputTokens: count(usage['output_tokens']),
      cacheReadTokens: count(usage['cache_read_tokens']),
      costUsd: count(usage['cost_usd']),
    },
    at: event.ts,
    seq: event.seq,
  };
  return { ...turn, parts: finishParts(turn.parts), end };
}
