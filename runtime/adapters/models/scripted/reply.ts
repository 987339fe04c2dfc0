import { z } from 'zod';
import { Fault, type FaultCode } from '../../../base/fault.ts';
import { faults } from '../../../base/faults.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import { scriptedChunkCharsMax, scriptedDelayMsMax, scriptedRepliesMax } from './limits.ts';

const Value = z.custom<Json>((value) => z.json().safeParse(value).success, 'not a JSON value');
const Input = z.custom<JsonObject>(
  (value) => isJsonObject(value) && z.json().safeParse(value).success,
  'not an object',
);
const Code = z.custom<FaultCode>(
  (value) => typeof value === 'string' && Object.hasOwn(faults, value),
  'not a fault code',
);

/** `/…/i` is a pattern; any other string is searched for literally. */
const When = z
  .union([z.instanceof(RegExp), z.string().min(1)])
  .transform((when, context) => (typeof when === 'string' ? toPattern(when, context) : when));

const Call = z.strictObject({
  tool: z.string().min(1),
  input: Input.default({}),
  notes: z.string().optional(),
});

const Piece = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['text', 'reasoning']), text: z.string() }),
  z.strictObject({ kind: z.literal('call'), call: z.string(), name: z.string() }),
  z.strictObject({ kind: z.literal('arguments'), call: z.string(), text: z.string() }),
  z.strictObject({ kind: z.literal('call_end'), call: z.string() }),
  z.strictObject({ kind: z.literal('carry'), provider: z.string(), item: Value }),
]);

const Attribute = z
  .string()
  .regex(/^[^"<>\n]*$/, 'may not hold quotes, angle brackets or line ends');

const Pace = {
  /** Characters per chunk. */
  chunk: z.int().min(1).max(scriptedChunkCharsMax).optional(),
  /** Milliseconds between chunks. */
  delay_ms: z.int().min(0).max(scriptedDelayMsMax).optional(),
};

const fields = z.strictObject({
  ...Pace,
  role: z
    .enum(['decision', 'answer', 'summary', 'selection', 'small', 'reasoning'])
    .default('decision'),
  when: When.optional(),
  /** With the replies beside it that have this key too, in any order: each is given to the first request that it matches. */
  beside: z.literal(true).optional(),
  thinking: z.string().optional(),
  timeline_text: z.string().optional(),
  notes: z.string().optional(),
  call: z.union([Call, z.array(Call).min(1).readonly()]).optional(),
  code: z.string().optional(),
  canvas: z
    .union([
      z.string(),
      z.strictObject({
        name: Attribute.optional(),
        mime: Attribute.optional(),
        title: Attribute.optional(),
        text: z.string(),
      }),
    ])
    .optional(),
  answer: z.string().optional(),
  followups: z.array(z.string()).readonly().optional(),
  output: Value.optional(),
  exit: z.literal(true).optional(),
  internal: z.string().optional(),
  summary: z.string().optional(),
  raw: z.string().optional(),
  /** The whole reply as a model streams it, for what no other key can write. */
  pieces: z.array(Piece).min(1).readonly().optional(),
  hold: z.string().min(1).optional(),
  fault: z.strictObject({ code: Code }).optional(),
  finish: z.enum(['stop', 'length', 'refusal', 'unknown']).default('stop'),
});

/** One reply of a scripted model; docs/reference/scripted-models.md describes every key. */
export const Reply = fields.check((context) => {
  for (const [path, message] of misfits(context.value)) {
    context.issues.push({ code: 'custom', path, message, input: context.value });
  }
});

export const Script = z.strictObject({
  ...Pace,
  /** `once`: one list for all requests. `per_conversation`: each conversation starts at the first reply. */
  plays: z.enum(['once', 'per_conversation']).default('once'),
  replies: z.array(Reply).max(scriptedRepliesMax).readonly(),
});

/** A reply as its author writes it. */
export type Reply = z.input<typeof Reply>;
export type ParsedReply = z.output<typeof Reply>;
export type Script = z.output<typeof Script>;
export type ScriptInput = z.input<typeof Script>;

/** The language of an exec tool is the suffix of its name. */
export const execTool = /^exec_tools\.execute_code_(python|javascript)$/;

export function callsOf(reply: Pick<ParsedReply, 'call'>): readonly z.output<typeof Call>[] {
  const { call = [] } = reply;
  return 'tool' in call ? [call] : call;
}

/** @throws Fault SCRIPT_INVALID that names reply and key. */
export function parseScript(value: unknown, tell: Tell = {}): Script {
  const parsed = Script.safeParse(Array.isArray(value) ? { replies: value } : value);
  if (!parsed.success) {
    const issue = deepest(parsed.error.issues[0]);
    const path = issue?.path ?? [];
    throw invalid(`${nameOf(path)}: ${issue?.message ?? 'does not fit'}`, path, tell);
  }
  const holds = parsed.data.replies.flatMap(({ hold }) => (hold === undefined ? [] : [hold]));
  const twice = holds.find((hold, index) => holds.indexOf(hold) !== index);
  if (twice !== undefined) throw invalid(`two replies hold "${twice}"`, [], tell);
  return parsed.data;
}

export type Tell = {
  /** Names the file and, if possible, the line of a path in it. */
  readonly place?: (path: readonly PropertyKey[]) => string;
};

function invalid(text: string, path: readonly PropertyKey[], { place }: Tell): Fault {
  const where = place?.(path);
  return new Fault('SCRIPT_INVALID', { because: where === undefined ? text : `${where}: ${text}` });
}

/** The issue of the union branch that matched furthest, which is probably the one the author meant. */
function deepest(issue: z.core.$ZodIssue | undefined): z.core.$ZodIssue | undefined {
  if (issue?.code !== 'invalid_union') return issue;
  const inner = issue.errors
    .flatMap((errors) => errors.slice(0, 1))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
  if (inner === undefined || inner.path.length === 0) return issue;
  return deepest({ ...inner, path: [...issue.path, ...inner.path] });
}

/** `reply 3, call.tool`, counted from 1. */
function nameOf(path: readonly PropertyKey[]): string {
  const [first, index, ...keys] = path;
  if (first !== 'replies' || typeof index !== 'number')
    return path.map(String).join('.') || 'script';
  return [`reply ${index + 1}`, keys.map(String).join('.')].filter(Boolean).join(', ');
}

type Fields = z.output<typeof fields>;
type Key = keyof Fields;

const said: readonly Key[] = [
  ...(['thinking', 'timeline_text', 'call', 'code', 'canvas', 'answer'] as const),
  ...(['output', 'internal', 'summary'] as const),
];

function* misfits(reply: Fields): Generator<[path: string[], message: string]> {
  yield* lonely(reply);
  const spoken = said.filter((key) => reply[key] !== undefined);
  const [first] = spoken;
  if (reply.raw !== undefined && first) yield [[first], 'raw is the whole reply'];
  if (reply.pieces !== undefined && (first ?? reply.raw) !== undefined) {
    yield [['pieces'], 'are the whole reply'];
  }
  const isWhole = reply.raw !== undefined || reply.pieces !== undefined;
  const silent = first === undefined && !isWhole && reply.fault === undefined;
  if (silent) yield [[], 'says nothing'];
  const odd = spoken.find((key) => !['answer', 'summary', 'output'].includes(key));
  if (reply.role !== 'decision' && odd) {
    yield [[odd], `a reply for ${reply.role} has answer, summary, output or raw`];
  }
}

/** Keys that are valid only together with another one. */
function* lonely(reply: Fields): Generator<[path: string[], message: string]> {
  const programs = callsOf(reply).filter(({ tool }) => execTool.test(tool)).length;
  if (reply.code !== undefined && programs !== 1) {
    yield [['code'], 'belongs to one call of exec_tools.execute_code_python or _javascript'];
  }
  if (reply.notes !== undefined && reply.call === undefined) yield [['notes'], 'belongs to a call'];
  for (const key of ['exit', 'followups'] as const) {
    if (reply[key] !== undefined && reply.answer === undefined) yield [[key], 'needs an answer'];
  }
}

function toPattern(when: string, context: z.RefinementCtx): RegExp | string {
  const written = /^\/(.+)\/([imsu]*)$/s.exec(when);
  if (!written?.[1]) return when;
  try {
    return new RegExp(written[1], written[2]);
  } catch (cause) {
    context.addIssue({ code: 'custom', message: String(cause), input: when });
    return z.NEVER;
  }
}
