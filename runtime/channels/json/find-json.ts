import type { Json } from '../../base/json.ts';
import { readJsonValue } from './json-value.ts';

/**
 * Every JSON value that a free text may be meant as, most likely first: the whole text, a code fence, a value within
 * prose. Comments and escapes that JSON does not have are mended last.
 */
export function* findJson(text: string): Generator<Json> {
  const answer = withoutThinking(text).trim();
  const fences = [...answer.matchAll(/```[\w+-]*[ \t]*\r?\n([\s\S]*?)```/g)].map(
    ([, body = '']) => body,
  );
  for (const candidate of [answer, ...fences]) {
    const whole = parseJson(candidate);
    if (whole !== undefined) yield whole;
  }
  for (const candidate of [...fences, answer, fromLastLine(answer), mended(answer)]) {
    const { value } = readJsonValue(candidate);
    if (value !== undefined) yield value;
  }
}

/** A scratchpad before the answer often contains drafts of it. */
function withoutThinking(text: string): string {
  return text.replace(/^\s*<(think|thinking)>[\s\S]*?<\/\1>/i, '');
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The answer often comes last, after an example. */
function fromLastLine(text: string): string {
  return text.slice(Math.max(text.lastIndexOf('\n{'), text.lastIndexOf('\n['), 0));
}

const stringOrComment = /("(?:[^"\\]|\\[\s\S])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

function mended(text: string): string {
  return text
    .replace(stringOrComment, (_, string: string | undefined) => string ?? '')
    .replace(/\\(?!["\\/bfnrtu])/g, '\\\\');
}
