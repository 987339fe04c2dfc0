import { Fault } from '../../runtime/base/fault.ts';
import { isJsonObject, type JsonObject } from '../../runtime/base/json.ts';
import { splitFrame, toJson } from './frame.ts';
import { partBytesMax } from './limits.ts';
import type { FromExecutor } from './messages.ts';
import { membersMax, type Outline, outlineOf } from './outline.ts';
import { insertTexts } from './texts.ts';

/** The unparsed input of a call: a call that is not granted or too large costs no memory. */
export interface UnparsedInput {
  readonly values: number;
  readonly names: number;
  readonly depth: number;
  /** Must be called in the tick in which the frame arrived, because its memory is reused. Fault `EXEC_PROTOCOL`. */
  parse(): JsonObject;
}

/** A message of an executor, which shares its process with the program: nothing in it is trusted. */
export type ExecutorMessage =
  | Exclude<FromExecutor, { type: 'tool_call' }>
  | (Omit<FromExecutor & { type: 'tool_call' }, 'input'> & { readonly input: UnparsedInput });

type Parts = ReadonlyMap<string, Buffer>;

/**
 * Parses a message by hand, because every tool call passes here and a schema takes about ten function calls for each
 * part. Fault `EXEC_PROTOCOL` for anything that is not exactly one message.
 */
export function readMessage(frame: Buffer): ExecutorMessage {
  return messageOf(frame, outlineOf(splitFrame(frame).line));
}

/** The same, for a line whose outline is already known. */
export function messageOf(frame: Buffer, outline: Outline | undefined): ExecutorMessage {
  const { texts } = splitFrame(frame);
  if (outline === undefined) throw broken();
  const parts = partsOf(outline);
  const type = textOf(parts, 'type', [1, 64]);
  if (type === 'tool_call') return toCall(parts, { outline, texts });
  if (texts !== undefined) throw broken();
  switch (type) {
    case 'hello':
      return exactly(parts, { type, version: versionOf(parts) });
    case 'fetch_context':
    case 'fetch_file':
      return exactly(parts, { type, id: idOf(parts), path: textOf(parts, 'path', [0, 2_000]) });
    case 'violation':
      return exactly(parts, { type, because: textOf(parts, 'because', [0, 1_000]) });
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
    // The message itself is one level.
    input: { values, names, depth: depth - 1, parse },
    reason: textOf(parts, 'reason', [0, 2_000]),
  } as const;
  const withTextList = texts === undefined ? {} : { texts: partOf(parts, 'texts') };
  exactly(parts, { ...call, ...withTextList });
  return call;
}

function withTexts(line: Buffer, list: Buffer | undefined, texts: Buffer | undefined): JsonObject {
  const input = toJson(line);
  if (!isJsonObject(input)) throw broken();
  // Only inputs contain separate texts.
  if (list && texts) insertTexts({ input }, toJson(small(list)), texts);
  return input;
}

/** Members by name. Fault for a duplicate name: two readers might use different values. */
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

function exactly<T extends object>(parts: Parts, message: T): T {
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
  return new Fault('EXEC_PROTOCOL', { because: 'not a valid executor message' });
}
