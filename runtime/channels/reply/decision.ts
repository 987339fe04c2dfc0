import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { DecisionReader } from '../decision/decision-reader.ts';
import type { JsonFault, JsonReader } from '../json/json-reader.ts';
import { type LostNumber, readJsonValue } from '../json/json-value.ts';
import type { Notice } from '../protocol/channel.ts';
import { near, preview, type Violation, violation } from '../protocol/violation.ts';

/** The decision of the model: the JSON of one decision channel. */
export type Decision =
  | {
      readonly action: 'call_tool';
      readonly notes: string;
      readonly tool_call: { readonly tool_id: string; readonly params: JsonObject };
      readonly final_answer: null;
      readonly suggested_followups: null;
    }
  | {
      readonly action: 'complete' | 'exit';
      readonly notes: string;
      readonly tool_call: null;
      /** Markdown; empty only if there is an `output`. */
      readonly final_answer: string;
      readonly suggested_followups: readonly string[] | null;
      readonly output?: Json;
    };

export const repairTexts = {
  trailing_comma:
    'The JSON had a comma before a closing bracket. It was ignored, and the decision was carried out.',
  raw_control_character:
    'A string held raw line breaks or control characters. They were kept, and the decision was carried out: do not repeat it. Next time write \\n for a line break.',
  unescaped_quote:
    'A quote inside notes or final_answer was not escaped. It was taken as text, and the decision was carried out. Next time write \\" for it.',
  json_comment: 'The JSON held comments. They were ignored, and the decision was carried out.',
  missing_bracket:
    'The JSON lacked its last closing brackets. They were added, and the decision was carried out.',
  text_around:
    'There was text around the JSON object. It was ignored, and the decision was carried out.',
  params_as_text:
    'tool_call.params was a string of JSON. It was read as an object, and the decision was carried out. Next time write the object itself.',
  tool_call_with_final_answer:
    'call_tool came with a final_answer. The tool was called, and the answer was not shown. To answer, use complete in a later reply.',
  followups_not_text:
    'suggested_followups held entries that are not text. They were left out, and the answer was shown. Next time write a list of texts.',
  final_answer_with_notes:
    'complete or exit came with notes. They were left out, and the answer was shown. Next time put everything into final_answer.',
} as const;
export type RepairCode = keyof typeof repairTexts;

/** An error that could be corrected without guessing; the model reads a notice about it. */
type Repair = Notice<RepairCode>;

type ParsedDecision =
  | { readonly ok: true; readonly decision: Decision; readonly repairs: readonly Repair[] }
  | { readonly ok: false; readonly violation: Violation };

const nullish = <T extends z.ZodType>(schema: T) => schema.nullish().transform((it) => it ?? null);
// The reader returns JSON; checking it again would lose a key named `__proto__`.
const json = z.custom<Json>(() => true);

const Shape = z.object({
  action: z.string(),
  notes: nullish(z.string()),
  tool_call: nullish(z.object({ tool_id: nullish(z.string()), params: nullish(json) })),
  final_answer: nullish(z.string()),
  suggested_followups: nullish(json),
  output: nullish(json),
});
type Shape = z.infer<typeof Shape>;

/**
 * Evaluates what was read of one decision channel. Harmless errors are repaired and reported; all others are violations.
 * `isCut`: the reply reached the output limit. `closed`: the channel ended with its own tag, so missing brackets were
 * forgotten, not cut off.
 */
export function parseDecision(
  written: DecisionReader,
  { closed = true, isCut = false }: { readonly closed?: boolean; readonly isCut?: boolean } = {},
): ParsedDecision {
  const { text } = written;
  const { reader, value, lost } = written.read();
  const unreadable = readingFault(reader, { text, closed, isCut }) ?? lostDigits(lost);
  if (unreadable !== undefined) return { ok: false, violation: unreadable };
  const shape = Shape.safeParse(value);
  if (!shape.success) return { ok: false, violation: shapeFault(shape.error, text) };
  const repairs = [...readingRepairs(reader, text), ...shapeRepairs(shape.data)];
  const decided = toDecision(shape.data);
  if ('code' in decided) return { ok: false, violation: decided };
  return { ok: true, decision: decided, repairs: repairs.map(toRepair) };
}

function readingFault(
  reader: JsonReader,
  { text, closed, isCut }: { text: string; closed: boolean; isCut: boolean },
): Violation | undefined {
  if (reader.several) {
    const message =
      'A decision channel held more than one JSON object, so none was carried out. Write one object; each further action takes a channel of its own.';
    return violation('multiple_decision_objects', message, { preview: preview(text) });
  }
  if (reader.outcome === 'done' || (reader.lacksOnlyBrackets && closed)) return undefined;
  if (reader.outcome === 'open') {
    const place = `after “${near(text, text.length)}”`;
    const message = isCut
      ? `The reply reached the output limit in the middle of a decision, ${place}, so it was not carried out. Write it again, shorter: a long text goes into several calls.`
      : `The decision ended in the middle of its JSON, ${place}, so it was not carried out. Write it again, whole.`;
    return violation('truncated_action', message, { preview: preview(text) });
  }
  return schemaError(describe(reader.fault, text), text, { offset: reader.fault?.offset ?? null });
}

/** A changed number could mean another order, account or message, so the decision is rejected. */
function lostDigits(
  lost: LostNumber | undefined,
  before: LostNumber['path'] = [],
): Violation | undefined {
  if (lost === undefined) return undefined;
  const place = [...before, ...lost.path].join('.');
  const number = preview(lost.text);
  const message = `${place} is ${number}, which would be read as ${Number(lost.text)}: integers are exact to ±9,007,199,254,740,991. Write the decision again with it as text, in quotes.`;
  return violation('action_schema_error', message, { place, number });
}

function describe(fault: JsonFault | undefined, text: string): string {
  if (fault === undefined) return 'it holds no JSON object';
  const { offset, expected, found } = fault;
  if (expected === 'each key once')
    return `the key “${found}” stands twice in one object; keep one`;
  return `${expected} was expected near “${near(text, offset)}”${hint(expected, text, offset)}`;
}

/** Hint at the likeliest cause. */
function hint(expected: string, text: string, offset: number): string {
  if (/[{,]\s*'[\w-]+'\s*:/.test(text)) return '; write keys and strings in double quotes';
  const isQuote = /^a (comma|key)/.test(expected) && text.slice(0, offset).includes('"');
  return isQuote ? '; escape a quote inside a string as \\"' : '';
}

function shapeFault(error: z.ZodError, text: string): Violation {
  const problems = error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'the value'}: ${message}`);
  return schemaError(problems.join('; '), text, { problems });
}

function schemaError(what: string, text: string, more: Violation['detail']): Violation {
  const message = `The decision was not carried out: ${what}. Write one strict JSON object.`;
  return violation('action_schema_error', message, { ...more, preview: preview(text) });
}

function readingRepairs(reader: JsonReader, text: string): RepairCode[] {
  const { start, end } = reader.span;
  const unfinished = reader.lacksOnlyBrackets;
  const around = text.slice(0, start) + (unfinished ? '' : text.slice(end));
  return [
    ...reader.repairs,
    ...(unfinished ? (['missing_bracket'] as const) : []),
    ...(/^\s*(```+\s*(json)?\s*(```+)?\s*)?$/i.test(around) ? [] : (['text_around'] as const)),
  ];
}

function shapeRepairs(shape: Shape): RepairCode[] {
  const { action, notes, tool_call, final_answer } = shape;
  const found: RepairCode[] = [];
  if (typeof tool_call?.params === 'string') found.push('params_as_text');
  if (action === 'call_tool' && final_answer) found.push('tool_call_with_final_answer');
  if (action !== 'call_tool' && !areFollowupsText(shape)) found.push('followups_not_text');
  if (action !== 'call_tool' && notes) found.push('final_answer_with_notes');
  return found;
}

function areFollowupsText({ suggested_followups: written }: Shape): boolean {
  return written === null || (Array.isArray(written) && written.every(isFollowup));
}

/** What can be offered of the suggested followups: broken ones must not cost the user the answer. */
function followupsOf(shape: Shape): readonly string[] | null {
  const { suggested_followups: written } = shape;
  if (written === null) return null;
  const kept = (Array.isArray(written) ? written : [written]).filter(isFollowup);
  return kept.length > 0 || areFollowupsText(shape) ? kept : null;
}

function isFollowup(entry: Json): entry is string {
  return typeof entry === 'string' && entry.trim() !== '';
}

function toRepair(code: RepairCode): Repair {
  return { code, message: repairTexts[code], detail: {} };
}

function toDecision(shape: Shape): Decision | Violation {
  const { action } = shape;
  if (action === 'call_tool') return toToolCall(shape);
  if (action === 'complete' || action === 'exit') return toFinal(action, shape);
  const use = action.includes('.')
    ? `A tool is called with ${callShape(preview(action))}.`
    : 'Use call_tool, complete or exit.';
  const message = `There is no action ${JSON.stringify(preview(action))}, so nothing was done. ${use}`;
  return violation('invalid_action', message, { action: preview(action) });
}

function toToolCall({ notes, tool_call }: Shape): Decision | Violation {
  const tool_id = tool_call?.tool_id?.trim() ?? '';
  if (tool_id === '') {
    const message = `call_tool came without tool_call.tool_id, so nothing was done. Write ${callShape('alias.name')} with the id of a tool in # Tools.`;
    return violation('missing_tool_id', message);
  }
  const params = toParams(tool_call?.params ?? {}, tool_id);
  if ('code' in params) return params;
  return {
    action: 'call_tool',
    notes: notes ?? '',
    tool_call: { tool_id, params: params.value },
    final_answer: null,
    suggested_followups: null,
  };
}

function callShape(tool: string): string {
  return `"action":"call_tool","notes":"Looking it up","tool_call":{"tool_id":"${tool}","params":{…}}`;
}

function toParams(params: Json, tool_id: string): { readonly value: JsonObject } | Violation {
  const written = typeof params === 'string' ? readJsonValue(params) : undefined;
  const lost = lostDigits(written?.lost, ['tool_call', 'params']);
  if (lost !== undefined) return lost;
  const value = written?.reader.outcome === 'done' ? written.value : params;
  if (isJsonObject(value)) return { value };
  return schemaError('tool_call.params must be an object', '', { tool_id });
}

function toFinal(action: 'complete' | 'exit', shape: Shape): Decision | Violation {
  const { notes, tool_call, final_answer, output } = shape;
  if (tool_call?.tool_id) {
    const message = `${action} came with a tool_call, so ${tool_call.tool_id} was not called and the answer was not shown. Either call the tool and answer in a later round, or answer without it.`;
    return violation('final_answer_with_tool_call', message, { tool_id: tool_call.tool_id });
  }
  if ((final_answer ?? '').trim() === '' && output === null) {
    const message = `${action} came without a final_answer, so nothing was shown. Write the answer inside it, in Markdown: {"action":"${action}","final_answer":"YOUR ANSWER"}`;
    return violation('final_answer_required', message);
  }
  const suggested_followups = followupsOf(shape);
  const answer = { notes: notes ?? '', final_answer: final_answer ?? '', suggested_followups };
  return { action, tool_call: null, ...answer, ...(output === null ? {} : { output }) };
}
