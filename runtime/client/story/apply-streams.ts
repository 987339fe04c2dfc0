import type { StoryPart } from '../api/story.ts';
import type { Delta } from '../api/types.ts';
import { fields, text } from './json-fields.ts';

type FinishedBlock = {
  readonly step: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Key for a block that was not streamed. */
  readonly key: string;
  readonly round: number | undefined;
};

type Content = {
  readonly key: string;
  readonly text: string;
  readonly done: boolean;
  readonly data: object;
  readonly round: number | undefined;
};

const kinds: Readonly<Record<string, StoryPart['kind']>> = {
  thinking: 'thinking',
  timeline_text: 'note',
  answer: 'answer',
  code: 'program',
  canvas: 'canvas',
  'react.thinking': 'thinking',
  'react.notes': 'note',
  'chat.completion': 'answer',
  'react.code': 'program',
};

/** Applies a piece of a stream: its part grows, restarts at offset 0, or appears. */
export function applyDelta(
  parts: readonly StoryPart[],
  { delta, round }: { delta: Delta; round?: number },
): readonly StoryPart[] {
  const { stream, offset, completed: done } = delta;
  const before = parts.find(({ key }) => key === stream);
  const known = before && 'text' in before ? before.text : '';
  const kept = known.length === offset ? known : known.slice(0, offset);
  const data = { name: delta.artifact, title: delta.title, mime: delta.mime };
  const content = { key: stream, text: kept + delta.text, done, data, round };
  const part = toPart(delta.marker, content);
  return part ? replace(parts, part) : parts;
}

/** Applies a finished block: it replaces its stream, or appears if it was not streamed. */
export function applyFinished(
  parts: readonly StoryPart[],
  { step, data, key, round }: FinishedBlock,
): readonly StoryPart[] {
  const stream = text(data['stream']) || key;
  const part = toPart(step, { key: stream, text: text(data['text']), done: true, data, round });
  return part ? replace(parts, part) : parts;
}

function toPart(name: string, { data, round, ...content }: Content): StoryPart | undefined {
  const kind = kinds[name];
  const more = fields(data);
  const common = round === undefined ? content : { ...content, round };
  const [title, mime] = [text(more['title']), text(more['mime'])];
  switch (kind) {
    case 'thinking':
    case 'note':
    case 'answer':
      return { kind, ...common };
    case 'program':
      return {
        ...{ kind, ...common, language: text(more['language']), call: text(more['call']) },
        ...{ output: '', calls: {} },
      };
    case 'canvas':
      return { kind, ...common, name: text(more['name']), title, mime };
    default:
      return undefined;
  }
}

/** Keeps what a later piece leaves out, such as a title or program output. */
function replace(parts: readonly StoryPart[], part: StoryPart): readonly StoryPart[] {
  const before = parts.find(({ key }) => key === part.key);
  if (!before) return [...parts, part];
  return parts.map((each) => (each === before ? merge(before, part) : each));
}

function merge(before: StoryPart, part: StoryPart): StoryPart {
  if (part.kind === 'program' && before.kind === 'program') {
    const { output, calls, language, call } = before;
    return { ...part, output, calls, language: part.language || language, call: part.call || call };
  }
  if (part.kind === 'canvas' && before.kind === 'canvas') {
    const { name, title, mime } = before;
    return {
      ...part,
      name: part.name || name,
      title: part.title || title,
      mime: part.mime || mime,
    };
  }
  return part;
}

/** What a program prints and calls stands with its code: the code of that call, else the last. */
export function applyProgram(
  parts: readonly StoryPart[],
  step: string,
  data: Readonly<Record<string, unknown>>,
): readonly StoryPart[] {
  const own = parts.findLastIndex((part) => part.kind === 'program' && part.call === data['call']);
  const at = own === -1 ? parts.findLastIndex(({ kind }) => kind === 'program') : own;
  return parts.map((part, index) =>
    index === at && part.kind === 'program' ? withProgram(part, step, data) : part,
  );
}

function withProgram(
  code: StoryPart & { kind: 'program' },
  step: string,
  data: Readonly<Record<string, unknown>>,
): StoryPart {
  if (step === 'chat.exec.output') return { ...code, output: code.output + text(data['text']) };
  const tool = text(data['tool']);
  if (step !== 'chat.exec.call' || tool === '') return code;
  return { ...code, calls: { ...code.calls, [tool]: (code.calls[tool] ?? 0) + 1 } };
}
