import type { StoryPart } from '../api/story.ts';
import type { ChatEvent } from '../api/types.ts';
import { fields, text } from './json-fields.ts';

type Facts = Readonly<Record<string, unknown>>;
type Parts = readonly StoryPart[];

export function put(parts: Parts, part: StoryPart): Parts {
  const known = parts.some(({ key }) => key === part.key);
  return known ? parts.map((each) => (each.key === part.key ? part : each)) : [...parts, part];
}

export function addMessage(parts: Parts, data: Facts): Parts {
  const message = text(data['message_id']);
  return put(parts, {
    ...{ kind: 'message', key: message, event: text(data['kind']), message },
    ...{ text: text(data['text']), state: 'accepted', files: [] },
  });
}

/** Consecutive files share one part. */
export function addFiles(
  parts: Parts,
  { cursor, data }: ChatEvent & { type: 'chat.files' },
): Parts {
  const last = parts.at(-1);
  if (last?.kind !== 'files') return [...parts, { kind: 'files', key: cursor, items: data.items }];
  return [...parts.slice(0, -1), { ...last, items: [...last.items, ...data.items] }];
}

export function markSeen(parts: Parts, message: string): Parts {
  return parts.map((part) =>
    part.kind === 'message' && part.message === message
      ? { ...part, state: 'seen' as const }
      : part,
  );
}

export function addAttachments(parts: Parts, data: Facts): Parts {
  const list = Array.isArray(data['items']) ? data['items'].map(fields) : [];
  const files = list.map((file) => ({
    filename: text(file['filename']),
    path: text(file['path']),
  }));
  return parts.map((part) =>
    part.kind === 'message' && part.message === data['message_id']
      ? { ...part, files: [...part.files, ...files] }
      : part,
  );
}

export function applyProgress(parts: Parts, data: Facts): Parts {
  const { fraction } = data;
  return parts.map((part) => {
    if (part.kind !== 'tool' || part.key !== data['call']) return part;
    const before = data['append'] === true ? part.progress : '';
    const progress = before + text(data['text']);
    return { ...part, progress, ...(typeof fraction === 'number' && { fraction }) };
  });
}

const toolStates = {
  awaiting_approval: 'waiting',
  external: 'waiting',
  running: 'running',
  done: 'done',
} as const;

export function putTool(parts: Parts, { data }: ChatEvent & { type: 'chat.tool' }): Parts {
  const { call, tool, input, state, result } = data;
  const before = parts.find(({ key }) => key === call);
  const failed = state === 'done' && fields(result)['ok'] === false;
  return put(parts, {
    ...{ kind: 'tool', key: call, tool, state: failed ? 'failed' : toolStates[state] },
    ...{ progress: before?.kind === 'tool' ? before.progress : '', input, result },
  });
}

/** One status line during compaction, replaced by its result, or removed if nothing was compacted. */
export function applyCompaction(
  parts: Parts,
  { data, event }: ChatEvent & { type: 'chat.compaction' },
): Parts {
  const { compaction_id = '', before_tokens = 0, after_tokens = 0 } = data;
  const key = `compaction.${compaction_id}`;
  const thousands = (tokens: number) => `${(tokens / 1_000).toFixed(1)} k`;
  const line = (words: string) => put(parts, { kind: 'status', key, text: words });
  if (event.status === 'started') return line('Summarizing earlier messages…');
  if (event.status !== 'completed') return parts.filter((part) => part.key !== key);
  const sizes = `${thousands(before_tokens)} → ${thousands(after_tokens)} tokens`;
  return line(`Earlier messages were summarized (${sizes})`);
}

export function putPlan(parts: Parts, data: Facts): Parts {
  const steps = Array.isArray(data['steps']) ? data['steps'] : [];
  const status = fields(data['status']);
  const rows = steps.map((step, at) => ({
    text: text(step),
    status: text(status[String(at + 1)]),
  }));
  return put(parts, { kind: 'plan', key: `plan.${text(data['plan_id'])}`, steps: rows });
}

/** It is unknown whether a call took effect. */
export function putDoubt(parts: Parts, data: Facts): Parts {
  const key = `doubt.${text(data['call'])}`;
  return put(parts, { kind: 'status', key, text: text(data['text']) });
}

/** A turn that is over streams nothing more. */
export function finishParts(parts: Parts): Parts {
  return parts.map((part) => ('done' in part && !part.done ? { ...part, done: true } : part));
}
