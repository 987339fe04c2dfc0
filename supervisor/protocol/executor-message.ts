import { Fault } from '../../runtime/base/fault.ts';
import { isJsonObject, type JsonObject } from '../../runtime/base/json.ts';
import { splitFrame, toJson } from './frame.ts';
import { partBytesMax } from './limits.ts';
import type { FromExecutor } from './messages.ts';
import { membersMax, type Outline, outlineOf } from './outline.ts';
import { putTexts } from './texts.ts';

/** The input of a call, not parsed yet: who may not make the call, or asks for too much, costs no memory. */
export interface UnparsedInput {
  readonly values: number;
  readonly names: number;
  readonly depth: number;
  /** In the tick in which the frame came: its memory is used again. Fault `EXEC_PROTOCOL`. */
  parse(): JsonObject;
}

/** A message of an executor. It shares its process with the program: nothing here is believed. */
export type ExecutorMessage =
  | Exclude<FromExecutor, { type: 'tool_call' }>
  | (Omit<FromExecutor & { type: 'tool_call' }, 'input'> & { readonly input: UnparsedInput });

type Parts = ReadonlyMap<string, Buffer>;

/**
 * By hand, since every call of a tool passes here: a schema takes some ten function calls for each of its parts.
 * Fault `EXEC_PROTOCOL` for anything that is not exactly one message.
 */
export function readMessage(frame: Buffer): ExecutorMessage {
  return messageOf(frame, outlineOf(splitFrame(frame).line));
}

/** The same, where the line was read before. */
export function messageOf(frame: Buffer, outline: Outline | undefined): ExecutorMessage {
  const { texts } = splitFrame(frame);
  if (outline === undefined) throw broken();
  const parts = partsOf(outline);
  const type = textOf(parts, 'type', [1, 64]);
  if (type === 'tool_call') return toCall(parts, { outline, texts });
  if (texts !== undefined) throw broken();
  switch (type) {
    case 'hello':
      return only(parts, { type, version: versionOf(parts) });
    case 'fetch_context':
    case 'fetch_file':
      return only(parts, { type, id: idOf(parts), path: textOf(parts, 'path', [0, 2_000]) });
    case 'violation':
      return only(parts, { type, because: textOf(parts, 'because', [0, 1_000]) });
    default:
      throw broken();
  }
}

function toCall(
  parts: Parts,
  { outline, texts }: { outline: Outline; texts: Buffer | undefined },
): ExecutorMessage {
  const { values, names, depth } = outline;
  const line = partOf(parts, 'input');
  const parse = () => withTexts(line, parts.get('texts'), texts);
  const call = {
    type: 'tool_call',
    id: idOf(parts),
    tool: textOf(parts, 'tool', [1, 256]),
    // One level is the message.
    input: { values, names, depth: depth - 1, parse },
    reason: textOf(parts, 'reason', [0, 2_000]),
  } as const;
  const told = texts === undefined ? {} : { texts: partOf(parts, 'texts') };
  only(parts, { ...call, ...told });
  return call;
}

function withTexts(line: Buffer, told: Buffer | undefined, texts: Buffer | undefined): JsonObject {
  const input = toJson(line);
  if (!isJsonObject(input)) throw broken();
  // Texts stand in an input and nowhere else.
  if (told && texts) putTexts({ input }, toJson(small(told)), texts);
  return input;
}

/** By name. Fault where a name comes twice: two readers might take different ones. */
function partsOf({ members }: Outline): Parts {
  if (members.length > membersMax) throw broken();
  const parts = new Map<string, Buffer>();
  for (const { name, value } of members) {
    const key = toJson(small(name));
    if (typeof key !== 'string' || parts.has(key)) throw broken();
    parts.set(key, value);
  }
  return parts;
}

function only<T extends object>(parts: Parts, message: T): T {
  if (parts.size === Object.keys(message).length) return message;
  throw broken();
}

function idOf(parts: Parts): string {
  return textOf(parts, 'id', [1, 64]);
}

function versionOf(parts: Parts): number {
  const version = toJson(small(partOf(parts, 'version')));
  if (typeof version === 'number' && Number.isInteger(version)) return version;
  throw broken();
}

function textOf(
  parts: Parts,
  name: string,
  [charsMin, charsMax]: readonly [number, number],
): string {
  const text = toJson(small(partOf(parts, name)));
  const fits = typeof text === 'string' && text.length >= charsMin && text.length <= charsMax;
  if (fits) return text;
  throw broken();
}

function partOf(parts: Parts, name: string): Buffer {
  const part = parts.get(name);
  if (part) return part;
  throw broken();
}

function small(part: Buffer): Buffer {
  if (part.length <= partBytesMax) return part;
  throw broken();
}

function broken(): Fault {
  return new Fault('EXEC_PROTOCOL', { because: 'not a message of an executor' });
}
