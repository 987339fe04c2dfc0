import type { Json } from '../../base/json.ts';
import { withoutEncodedRuns } from '../../timeline/base64-runs.ts';
import { parsePath } from '../../timeline/paths.ts';
import type { ShortNames } from '../../timeline/short-names.ts';
import type { ToolError, ToolResult } from '../ports/tool.ts';
import { cutText, grouped } from '../text/cut-text.ts';
import { shapeOf } from '../text/json-shape.ts';

type PreviewOptions = {
  /** Characters of the text the model reads, including the frame. */
  readonly limit: number;
  /** Where the whole result can be read, `tc:…result`. */
  readonly path: string;
  /** The value behind the text; its shape is shown when the text is cut. */
  readonly ret?: Json | undefined;
};

/** What the model reads of a result: the whole text, or its size, its shape, its beginning and how to read on. */
export function toPreview(text: string, { limit, path, ret }: PreviewOptions): string {
  const plain = withoutEncodedRuns(text);
  if (plain.length <= limit) return plain;
  const head = `[${grouped(text.length)} characters; the beginning follows]`;
  const shape = ret === undefined ? [] : [cutText(`shape: ${shapeOf(ret)}`, Math.floor(limit / 4))];
  const tail = `[cut here. Go on with react.read, paths: ["${path}"]: it shows as much as fits and how to read on]`;
  const frame = [head, ...shape, '', tail].join('\n').length;
  const beginning = cutText(plain, Math.max(0, limit - frame));
  return [head, ...shape, beginning, tail].join('\n');
}

const cutHead = /^\[[\d,]+ characters; the beginning follows\]\n/;

/** Whether a preview shows only the beginning. */
export function isCut(preview: string): boolean {
  return cutHead.test(preview);
}

/** What a preview shows of the result, without what it says about it. */
export function beginningIn(preview: string): string {
  if (!isCut(preview)) return preview;
  return preview
    .replace(cutHead, '')
    .replace(/^shape: .*\n/, '')
    .replace(/\n\[cut here\. [^\n]*$/, '');
}

/**
 * A result as text: a string as it is (or a placeholder if empty), anything else as JSON, a failure with its error.
 * Paths are written in the short form that the model uses.
 */
export function toText(result: ToolResult, names: Pick<ShortNames, 'path'>): string {
  const json = (value: unknown) => JSON.stringify(value, (_, each) => withShortPath(each, names));
  if (!result.ok) return json({ ...result, error: withoutRepetition(result.error) });
  if (result.ret === '') return '(no output)';
  return typeof result.ret === 'string' ? result.ret : json(result.ret);
}

/** Without the list of bad arguments if the message has all of them: they are for programs. */
function withoutRepetition({ violations = [], ...error }: ToolError): ToolError {
  const isWhole = violations.every(({ path, message }) =>
    error.message.includes(path === '' ? message : `${path}: ${message}`),
  );
  return isWhole ? error : { ...error, violations };
}

function withShortPath(value: unknown, names: Pick<ShortNames, 'path'>): unknown {
  const isPath =
    typeof value === 'string' && storedPath.test(value) && parsePath(value) !== undefined;
  return isPath ? names.path(value) : value;
}

const storedPath = /^(?:ar|tc|fi|ws|su):(?:[a-z]+_)?turn_/;
