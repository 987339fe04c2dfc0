import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';

export type Path = readonly PropertyKey[];

/** The result of parsing YAML. */
export type ReadYaml<T> = {
  /** Undefined if it does not fit the schema. */
  readonly value: T | undefined;
  /** All problems, as `file:line: place: message`. */
  readonly problems: readonly string[];
  /** `file:line` of the value at a path, or of its nearest existing parent. */
  place(path: Path): string;
};

type Source = {
  readonly file: string;
  /** Number of lines before the text in the file. */
  readonly above?: number;
};

/** Parses YAML text. A text with only comments gives `empty`, `{}` by default. */
export function parseYaml<T>(
  text: string,
  schema: z.ZodType<T>,
  { file, above = 0, empty = {} }: Source & { readonly empty?: unknown },
): ReadYaml<T> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => `${file}:${above + lines.linePos(offset).line}`;
  const place = (path: Path) => at(offsetOf(document, path));
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ pos, message }) => `${at(pos[0])}: ${message}`);
    return { value: undefined, problems, place };
  }
  const parsed = schema.safeParse(document.toJS() ?? empty, { error: missing });
  if (parsed.success) return { value: parsed.data, problems: [], place };
  const problems = parsed.error.issues.flatMap(problemsOf);
  return {
    value: undefined,
    problems: problems.map(({ path, message }) => `${place(path)}: ${nameOf(path)}: ${message}`),
    place,
  };
}

/** Undefined selects the library's message. */
function missing({ input }: z.core.$ZodRawIssue): string | undefined {
  return input === undefined ? 'required' : undefined;
}

type YamlProblem = { readonly path: Path; readonly message: string };

/** Reports an unknown key at its own position. */
function problemsOf(issue: z.core.$ZodIssue): readonly YamlProblem[] {
  const { path, message } = issue;
  if (issue.code !== 'unrecognized_keys') return [{ path, message }];
  return issue.keys.map((key) => ({ path: [...path, key], message: 'unknown key' }));
}

function nameOf(path: Path): string {
  const name = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
  return name.join('').replace(/^\./, '') || 'the file';
}

function offsetOf(document: Document, path: Path): number {
  for (let length = path.length; length > 0; length -= 1) {
    const offset = keyOffset(document, path.slice(0, length));
    if (offset !== undefined) return offset;
  }
  return 0;
}

function keyOffset(document: Document, path: Path): number | undefined {
  const last = path.at(-1);
  const parent = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  const pairs = isMap(parent) ? parent.items : [];
  const key = pairs.map((pair) => pair.key).find((each) => isScalar(each) && each.value === last);
  const node = key ?? document.getIn(path, true);
  return isNode(node) ? node.range?.[0] : undefined;
}
