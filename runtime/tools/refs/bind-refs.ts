import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Draft } from '../../timeline/block.ts';
import type { TurnId } from '../../timeline/ids.ts';
import { parsePath } from '../../timeline/paths.ts';
import { refCharsMax, refsMax } from '../limits.ts';
import type { CallContext, ToolError, ToolSpec } from '../ports/tool.ts';
import { callNotice } from '../results/call-notice.ts';
import { grouped } from '../text/cut-text.ts';
import { printedText } from './printed-text.ts';
import { refProblem } from './ref-visibility.ts';
import { wholeText } from './resolved-text.ts';

type BoundRefs =
  | { readonly ok: true; readonly input: JsonObject; readonly notices: readonly Draft[] }
  | { readonly ok: false; readonly error: ToolError };

type Violation = { readonly path: string; readonly code: string; readonly message: string };
type Binding = {
  readonly spec: Pick<ToolSpec, 'kind'>;
  readonly context: CallContext;
  readonly violations: Violation[];
  /** Abbreviated paths, each with the path it was resolved to. */
  readonly normalized: string[];
  left: number;
};
type ParamPath = { readonly key: string; readonly path: string };

/** Control tools take paths literally, except in parameters that hold a text. */
const textParams: ReadonlySet<string> = new Set(['content', 'patch']);
const sourceParams: ReadonlySet<string> = new Set(['sources_list', 'sources']);

/**
 * Replaces each string that consists of `ref:<path>` alone with the content at the path, so that a model need not repeat
 * a text that it has seen. Only visible paths are resolved: any other path may be a guess, or injected by an attacker.
 */
export async function bindRefs(
  input: JsonObject,
  { spec, context }: Pick<Binding, 'spec' | 'context'>,
): Promise<BoundRefs> {
  if (!JSON.stringify(input).includes('"ref:')) return { ok: true, input, notices: [] };
  const binding: Binding = { spec, context, violations: [], normalized: [], left: refsMax };
  const bound = await bindObject(input, '', binding);
  const { violations, normalized } = binding;
  const [first] = violations;
  if (!first) return { ok: true, input: bound, notices: completionNotices(normalized, context) };
  const message = violations.map(({ path, message: why }) => `${path}: ${why}`).join('; ');
  const details = violations.map(({ path, code, message: why }) => ({
    path,
    message: `${code}: ${why}`,
  }));
  return { ok: false, error: { code: first.code, message, retryable: false, violations: details } };
}

function completionNotices(paths: readonly string[], context: CallContext): readonly Draft[] {
  const text = `Paths were completed: ${paths.join(', ')}`;
  return paths.length === 0 ? [] : [callNotice(context, 'ref_path_normalized', text)];
}

async function bindObject(object: JsonObject, path: string, binding: Binding): Promise<JsonObject> {
  const entries: [string, Json][] = [];
  for (const [key, value] of Object.entries(object)) {
    const at = { key, path: path === '' ? key : `${path}.${key}` };
    entries.push([key, await bindValue(value, at, binding)]);
  }
  return Object.fromEntries(entries);
}

async function bindValue(value: Json, at: ParamPath, binding: Binding): Promise<Json> {
  if (typeof value === 'string')
    return isRef(value, at, binding) ? bindRef(value, at, binding) : value;
  if (isJsonObject(value)) return bindObject(value, at.path, binding);
  if (!Array.isArray(value)) return value;
  const items: Json[] = [];
  for (const [index, item] of value.entries()) {
    items.push(await bindValue(item, { key: at.key, path: `${at.path}[${index}]` }, binding));
  }
  return items;
}

const ref =
  /^ref:\s*(?:conv:)?((?:ar|tc|fi|so|ws|su|sk|ks):.+|(?:outputs|files|attachments)\/.+)$/s;

function isRef(text: string, { key }: ParamPath, { spec }: Binding): boolean {
  return ref.test(text) && (spec.kind !== 'control' || textParams.has(key));
}

async function bindRef(text: string, at: ParamPath, binding: Binding): Promise<Json> {
  const asked = ref.exec(text)?.[1]?.trim() ?? '';
  const refuse = (code: string, message: string) => {
    binding.violations.push({ path: at.path, code, message });
    return text;
  };
  binding.left -= 1;
  if (binding.left < 0) return refuse('too_many_refs', `more than ${refsMax} in one call`);
  if (sourceParams.has(at.key) && parsePath(asked)?.family !== 'so')
    return refuse('sources_list_requires_sources_pool', 'give ref:so:sources_pool[…]');
  const path = fullPath(asked, binding.context.turn);
  const hindrance = path === undefined ? 'ref_not_visible' : refProblem(path, binding.context);
  if (path === undefined || hindrance !== undefined) {
    return refuse(hindrance ?? 'ref_not_visible', hints[hindrance ?? 'ref_not_visible'] ?? '');
  }
  if (path !== asked) binding.normalized.push(`${asked} → ${path}`);
  return valueAt(path, at, { binding, refuse });
}

const hints: Readonly<Record<string, string>> = {
  ref_not_visible: 'nothing you see has this path; react.read it first, or write it out',
  ref_internal_not_visible: 'it is internal and you have not read it; react.read it first',
  fi_ref_not_materialized: 'it is a file of another turn; react.pull or react.read it first',
};

type RefContext = {
  readonly binding: Binding;
  readonly refuse: (code: string, message: string) => string;
};

async function valueAt(
  path: string,
  at: ParamPath,
  { binding, refuse }: RefContext,
): Promise<Json> {
  const { services } = binding.context;
  const resolved = await services.read(path);
  if (resolved === undefined) return refuse('ref_not_visible', hints['ref_not_visible'] ?? '');
  if (sourceParams.has(at.key)) return resolved.data ?? [];
  const whole = await wholeText(resolved, services);
  if (whole.kind !== 'text') return refuse('renderer_content_ref_not_text', `${path} is not text`);
  if (whole.text.length > refCharsMax)
    return refuse('ref_too_large', `${path} has more than ${grouped(refCharsMax)} characters`);
  return printedText(resolved, whole.text) ?? whole.text;
}

/** The path with this turn filled in if it names none. */
function fullPath(asked: string, turn: TurnId): string | undefined {
  if (parsePath(asked)) return asked;
  const local = asked.replace(/^fi:/, '').replace(/^attachments\//, 'user.attachments/');
  const [, family, rest] = /^(ar|tc|ws):(.+)$/s.exec(asked) ?? [];
  const guess = family === undefined ? `fi:${turn}.${local}` : `${family}:${turn}.${rest ?? ''}`;
  return parsePath(guess) ? guess : undefined;
}
