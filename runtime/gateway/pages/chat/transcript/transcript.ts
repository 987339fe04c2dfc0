import type { ChatEvent } from '../../../../client/index.ts';
import { applyDelta, applyFinished, applyProgram } from './apply-deltas.ts';
import { addApproval, removeRecalled, settleApproval } from './approvals.ts';
import { fields, text } from './json-fields.ts';
import { addMissingSecret, requireSecret } from './secret-requests.ts';
import { toolSelection } from './tool-selection.ts';
import type { Item, Transcript, TurnTranscript } from './transcript-types.ts';

export const emptyTranscript: Transcript = { turns: [], unsent: [], orphans: [] };

export function isWorking(transcript: Transcript): boolean {
  const last = transcript.turns.at(-1);
  return last !== undefined && last.end === undefined;
}

export function withUnsent(transcript: Transcript, item: Item & { kind: 'said' }): Transcript {
  const others = transcript.unsent.filter(({ key }) => key !== item.key);
  return { ...transcript, unsent: [...others, item] };
}

export function withoutUnsent(transcript: Transcript, message: string): Transcript {
  return { ...transcript, unsent: transcript.unsent.filter(({ key }) => key !== message) };
}

/** The transcript after one more event. */
export function applyEvent(transcript: Transcript, event: ChatEvent): Transcript {
  if (event.type === 'chat.start') return startTurn(transcript, event.turnId, fields(event.data));
  if (event.type === 'chat.step' && event.event.step === 'event.accepted')
    return accept(keepOrphan(transcript, event), event);
  return changeTurn(keepOrphan(transcript, event), event.turnId, (turn) =>
    applyToTurn(turn, event),
  );
}

/** The transcript with earlier turns added. */
export function withEarlier(transcript: Transcript, events: readonly ChatEvent[]): Transcript {
  const { turns, orphans } = [...events, ...transcript.orphans].reduce(applyEvent, emptyTranscript);
  return { ...transcript, turns: [...turns, ...transcript.turns], orphans };
}

function keepOrphan(transcript: Transcript, event: ChatEvent): Transcript {
  const isOfTurn = event.type !== 'conv.status' && event.type !== 'chat.service';
  if (!isOfTurn || transcript.turns.some(({ id }) => id === event.turnId)) return transcript;
  return { ...transcript, orphans: [...transcript.orphans, event] };
}

function applyToTurn(turn: TurnTranscript, event: ChatEvent): TurnTranscript {
  switch (event.type) {
    case 'chat.delta':
      return changeItems(turn, (items) => applyDelta(items, event.delta));
    case 'chat.step':
      return applyStep(turn, event.event.step, event);
    case 'chat.tool':
      return changeItems(turn, (items) =>
        addMissingSecret(put(items, toTool(items, event)), turn.bundle, event),
      );
    case 'chat.approval':
      return changeItems(turn, (items) => addApproval(items, event));
    case 'chat.files':
      return changeItems(turn, (items) => addFiles(items, event));
    case 'chat.citations':
      return { ...turn, sources: [...turn.sources, ...event.data.items] };
    case 'chat.followups':
      return { ...turn, suggestions: event.data.items };
    case 'chat.compaction':
      return changeItems(turn, (items) => applyCompaction(items, event));
    case 'chat.complete':
    case 'chat.error':
      return endTurn(turn, event);
    default:
      return turn;
  }
}

function applyStep(
  turn: TurnTranscript,
  step: string,
  event: ChatEvent & { type: 'chat.step' },
): TurnTranscript {
  const data = fields(event.data);
  if (step === 'stream.reset') {
    return changeItems(turn, (items) => items.filter(({ key }) => key !== data['stream']));
  }
  if (step === 'event.landed')
    return changeItems(turn, (items) => markSeen(items, text(data['event_id'])));
  if (step === 'event.recalled') return changeItems(turn, (items) => removeRecalled(items, data));
  if (step === 'secret.required') return changeItems(turn, (items) => requireSecret(items, data));
  if (step === 'approval.closed') return changeItems(turn, (items) => settleApproval(items, data));
  if (step === 'chat.attachments') return changeItems(turn, (items) => addAttachments(items, data));
  if (step === 'chat.tool.progress')
    return changeItems(turn, (items) => applyProgress(items, data));
  if (step.startsWith('chat.exec.'))
    return changeItems(turn, (items) => applyProgram(items, step, data));
  if (step === 'chat.doubt') {
    const item = {
      kind: 'quiet',
      key: `doubt.${text(data['call'])}`,
      text: text(data['text']),
    } as const;
    return changeItems(turn, (items) => put(items, item));
  }
  const selection = toolSelection(step, data);
  if (selection) return changeItems(turn, (items) => put(items, selection));
  if (step === 'plan') return changeItems(turn, (items) => put(items, toPlan(data)));
  return changeItems(turn, (items) => applyFinished(items, { step, data, key: event.cursor }));
}

function startTurn(
  transcript: Transcript,
  id: string,
  data: Readonly<Record<string, unknown>>,
): Transcript {
  const bundle = text(data['bundle_id']);
  const turn = { id, bundle, items: [], sources: [], suggestions: [], end: undefined };
  return { ...transcript, turns: [...transcript.turns.filter((each) => each.id !== id), turn] };
}

function accept(transcript: Transcript, event: ChatEvent & { type: 'chat.step' }): Transcript {
  const data = fields(event.data);
  const message = text(data['message_id']);
  const said: Item = {
    kind: 'said',
    key: message,
    event: text(data['kind']),
    message,
    text: text(data['text']),
    state: 'accepted',
    files: [],
  };
  return changeTurn(withoutUnsent(transcript, message), event.turnId, (turn) =>
    changeItems(turn, (items) => [...items, said]),
  );
}

/** Consecutive files share one item. */
function addFiles(items: readonly Item[], { cursor, data }: ChatEvent & { type: 'chat.files' }) {
  const last = items.at(-1);
  if (last?.kind !== 'files')
    return [...items, { kind: 'files' as const, key: cursor, items: data.items }];
  return [...items.slice(0, -1), { ...last, items: [...last.items, ...data.items] }];
}

function markSeen(items: readonly Item[], message: string): readonly Item[] {
  return items.map((item) =>
    item.kind === 'said' && item.message === message ? { ...item, state: 'seen' as const } : item,
  );
}

function addAttachments(
  items: readonly Item[],
  data: Readonly<Record<string, unknown>>,
): readonly Item[] {
  const list = Array.isArray(data['items']) ? data['items'].map(fields) : [];
  const files = list.map((file) => ({
    filename: text(file['filename']),
    path: text(file['path']),
  }));
  return items.map((item) =>
    item.kind === 'said' && item.message === data['message_id']
      ? { ...item, files: [...item.files, ...files] }
      : item,
  );
}

function applyProgress(
  items: readonly Item[],
  data: Readonly<Record<string, unknown>>,
): readonly Item[] {
  return items.map((item) => {
    if (item.kind !== 'tool' || item.key !== data['call']) return item;
    const before = data['append'] === true ? item.progress : '';
    return { ...item, progress: before + text(data['text']) };
  });
}

const toolStates = {
  awaiting_approval: 'waiting',
  external: 'waiting',
  running: 'running',
  done: 'done',
} as const;

function toTool(items: readonly Item[], { data }: ChatEvent & { type: 'chat.tool' }): Item {
  const { call, tool, input, state, result } = data;
  const before = items.find(({ key }) => key === call);
  const failed = state === 'done' && fields(result)['ok'] === false;
  return {
    kind: 'tool',
    key: call,
    tool,
    state: failed ? 'failed' : toolStates[state],
    progress: before?.kind === 'tool' ? before.progress : '',
    input,
    result,
  };
}

/** One status line during compaction, replaced by its result, or removed if nothing was compacted. */
function applyCompaction(items: readonly Item[], event: ChatEvent & { type: 'chat.compaction' }) {
  const { compaction_id = '', before_tokens = 0, after_tokens = 0 } = event.data;
  const key = `compaction.${compaction_id}`;
  const thousands = (tokens: number) => `${(tokens / 1_000).toFixed(1)} k`;
  switch (event.event.status) {
    case 'started':
      return put(items, { kind: 'quiet', key, text: 'Summarizing earlier messages…' });
    case 'completed': {
      const sizes = `${thousands(before_tokens)} → ${thousands(after_tokens)} tokens`;
      return put(items, {
        kind: 'quiet',
        key,
        text: `Earlier messages were summarized (${sizes})`,
      });
    }
    default:
      return items.filter((item) => item.key !== key);
  }
}

function toPlan(data: Readonly<Record<string, unknown>>): Item {
  const steps = Array.isArray(data['steps']) ? data['steps'] : [];
  const status = fields(data['status']);
  const rows = steps.map((step, at) => ({
    text: text(step),
    status: text(status[String(at + 1)]),
  }));
  return { kind: 'plan', key: `plan.${text(data['plan_id'])}`, steps: rows };
}

function endTurn(
  turn: TurnTranscript,
  event: ChatEvent & { type: 'chat.complete' | 'chat.error' },
): TurnTranscript {
  const data = fields(event.data);
  const usage = fields(data['usage']);
  const count = (name: string) => (typeof usage[name] === 'number' ? usage[name] : 0);
  const end = {
    reason: text(data['reason']),
    degraded: data['degraded'] === true,
    message: event.type === 'chat.error' ? event.data.message : '',
    tokens: count('input_tokens') + count('cache_read_tokens') + count('output_tokens'),
    costUsd: count('cost_usd'),
  };
  const items = turn.items.map((item) =>
    'done' in item && !item.done ? { ...item, done: true } : item,
  );
  return { ...turn, items, end };
}

function put(items: readonly Item[], item: Item): readonly Item[] {
  const known = items.some(({ key }) => key === item.key);
  return known ? items.map((each) => (each.key === item.key ? item : each)) : [...items, item];
}

function changeItems(
  turn: TurnTranscript,
  change: (items: readonly Item[]) => readonly Item[],
): TurnTranscript {
  const items = change(turn.items);
  return items === turn.items ? turn : { ...turn, items };
}

function changeTurn(
  transcript: Transcript,
  id: string,
  change: (turn: TurnTranscript) => TurnTranscript,
): Transcript {
  const turns = transcript.turns.map((turn) => (turn.id === id ? change(turn) : turn));
  return { ...transcript, turns };
}
