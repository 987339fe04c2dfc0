import { readFileSync } from 'node:fs';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { Fault } from '../../../base/fault.ts';
import { parseScript, type Script } from './reply.ts';

/**
 * Reads a script from YAML: a list of replies, or `{ chunk, delay_ms, plays, replies }`.
 *
 * @throws Fault SCRIPT_INVALID, with file, line, reply and key.
 */
export function loadScript(file: string): Script {
  const lines = new LineCounter();
  const document = parseDocument(read(file), { lineCounter: lines });
  const [broken] = document.errors;
  if (broken) throw new Fault('SCRIPT_INVALID', { because: `${file}: ${broken.message}` });
  const place = (path: readonly PropertyKey[]) => {
    const offset = offsetOf(document, path);
    return offset === undefined ? file : `${file}:${lines.linePos(offset).line}`;
  };
  return parseScript(document.toJS(), { place });
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Fault('SCRIPT_INVALID', { because: `${file} cannot be read` }, { cause });
  }
}

/** Position of the nearest existing node: a missing key has no position, but the reply that lacks it has one. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number | undefined {
  const inList = path[0] === 'replies' && !document.has('replies') ? path.slice(1) : path;
  for (let length = inList.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(inList.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return undefined;
}
