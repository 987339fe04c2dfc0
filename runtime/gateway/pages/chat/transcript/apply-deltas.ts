import type { Delta } from '../../../../client/index.ts';
import { fields, text } from './json-fields.ts';
import type { Item } from './transcript-types.ts';

type FinishedBlock = {
  readonly step: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Key for a block that was not streamed. */
  readonly key: string;
};

const kinds: Readonly<Record<string, Item['kind']>> = {
  thinking: 'thinking',
  timeline_text: 'note',
  answer: 'answer',
  code: 'code',
  canvas: 'canvas',
  'react.thinking': 'thinking',
  'react.notes': 'note',
  'chat.completion': 'answer',
  'react.code': 'code',
};

/** Applies a piece of a stream: its item grows, restarts at offset 0, or appears. */
export function applyDelta(items: readonly Item[], delta: Delta): readonly Item[] {
  const { stream, offset, completed: done } = delta;
  const before = items.find(({ key }) => key === stream);
  const whole = before && 'text' in before ? before.text.slice(0, offset) + delta.text : delta.text;
  const named = { name: delta.artifact, title: delta.title, mime: delta.mime };
  const item = toItem(delta.marker, { key: stream, text: whole, done, data: named });
  return item ? replace(items, item) : items;
}

/** Applies a finished block: it replaces its stream, or appears if it was not streamed. */
export function applyFinished(
  items: readonly Item[],
  { step, data, key }: FinishedBlock,
): readonly Item[] {
  const stream = text(data['stream']) || key;
  const item = toItem(step, { key: stream, text: text(data['text']), done: true, data });
  return item ? replace(items, item) : items;
}

function toItem(
  name: string,
  { key, text: body, done, data }: { key: string; text: string; done: boolean; data: object },
): Item | undefined {
  const kind = kinds[name];
  const more = fields(data);
  const [title, mime] = [text(more['title']), text(more['mime'])];
  switch (kind) {
    case 'thinking':
    case 'note':
    case 'answer':
      return { kind, key, text: body, done };
    case 'code':
      return {
        ...{ kind, key, text: body, done },
        ...{ language: text(more['language']), call: text(more['call']), output: '', calls: {} },
      };
    case 'canvas':
      return { kind, key, text: body, done, name: text(more['name']), title, mime };
    default:
      return undefined;
  }
}

/** Keeps what a later piece leaves out, such as a title or program output. */
function replace(items: readonly Item[], item: Item): readonly Item[] {
  const before = items.find(({ key }) => key === item.key);
  if (!before) return [...items, item];
  return items.map((each) => (each === before ? merge(before, item) : each));
}

function merge(before: Item, item: Item): Item {
  if (item.kind === 'code' && before.kind === 'code') {
    const { output, calls, language, call } = before;
    return { ...item, output, calls, language: item.language || language, call: item.call || call };
  }
  if (item.kind === 'canvas' && before.kind === 'canvas') {
    const { name, title, mime } = before;
    return {
      ...item,
      name: item.name || name,
      title: item.title || title,
      mime: item.mime || mime,
    };
  }
  return item;
}

/** What a program prints and calls stands with its code: the code of that call, else the last. */
export function applyProgram(
  items: readonly Item[],
  step: string,
  data: Readonly<Record<string, unknown>>,
): readonly Item[] {
  const own = items.findLastIndex((item) => item.kind === 'code' && item.call === data['call']);
  const at = own === -1 ? items.findLastIndex(({ kind }) => kind === 'code') : own;
  return items.map((item, index) =>
    index === at && item.kind === 'code' ? withProgram(item, step, data) : item,
  );
}

function withProgram(
  code: Item & { kind: 'code' },
  step: string,
  data: Readonly<Record<string, unknown>>,
): Item {
  if (step === 'chat.exec.output') return { ...code, output: code.output + text(data['text']) };
  const tool = text(data['tool']);
  if (step !== 'chat.exec.call' || tool === '') return code;
  return { ...code, calls: { ...code.calls, [tool]: (code.calls[tool] ?? 0) + 1 } };
}
