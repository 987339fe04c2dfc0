import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../base/json.ts';
import { hasLosslessNumbers } from '../../base/lossless-number.ts';
import { coercionRoundsMax, violationsMax } from '../limits.ts';
import type { InputIssue, ParsedInput } from '../ports/tool.ts';
import { unknownParams } from './unknown-params.ts';

/** JSON Schema of the input that the model writes, with properties in the order of the schema; `without` lists presets. */
export function toParameters(schema: z.ZodType, { without = [] as readonly string[] } = {}) {
  const json = jsonSchemaOf(schema, 'input');
  const properties = isJsonObject(json['properties']) ? json['properties'] : {};
  const required = Array.isArray(json['required']) ? json['required'] : [];
  const kept = Object.entries(properties).filter(([name]) => !without.includes(name));
  const parameters: JsonObject = {
    ...json,
    properties: Object.fromEntries(kept),
    required: required.filter((name) => typeof name === 'string' && !without.includes(name)),
  };
  return parameters;
}

/** JSON Schema of the return value of a tool. */
export function toReturns(schema: z.ZodType): JsonObject {
  return jsonSchemaOf(schema, 'output');
}

/**
 * Coerces harmless mistakes in a model's input (numbers, booleans and JSON written as text, a single value instead of a
 * list, null for an absent option) and refuses everything else with paths. Given the `parameters` shown to the model, it
 * also refuses unknown ones. `input` is the coerced JSON, before transforms.
 */
export function parseInput(
  schema: z.ZodType,
  input: JsonObject,
  parameters: JsonObject = {},
): ParsedInput {
  const check = (candidate: JsonObject) => [
    ...issuesOf(schema, candidate),
    ...unknownParams(candidate, parameters),
  ];
  return parseWith(check, input);
}

/** The same with any function that checks the input. */
export function parseWith(
  check: (input: JsonObject) => readonly InputIssue[],
  input: JsonObject,
): ParsedInput {
  let candidate = input;
  for (let round = 0; ; round += 1) {
    const misfits = check(candidate);
    if (misfits.length === 0) return { ok: true, input: candidate };
    const mended = misfits.reduce(coerceAt, candidate);
    if (mended === candidate || round === coercionRoundsMax) {
      return { ok: false, violations: toViolations(misfits) };
    }
    candidate = mended;
  }
}

function issuesOf(schema: z.ZodType, input: JsonObject): readonly InputIssue[] {
  const issues = schema.safeParse(input).error?.issues ?? [];
  return issues.map((issue) => ({
    path: issue.path,
    message: isAbsent(issue) ? `required (${issue.expected})` : issue.message,
    expected: issue.code === 'invalid_type' ? issue.expected : undefined,
  }));
}

function isAbsent(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueInvalidType {
  return issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
}

function toViolations(misfits: readonly InputIssue[]) {
  return misfits.slice(0, violationsMax).map(({ path, message }) => ({
    path: pathText(path),
    message,
  }));
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

function coerceAt(root: JsonObject, { path, expected }: InputIssue): JsonObject {
  if (path.length === 0) return root;
  const mended = replaceAt(root, path, (value) => coerce(value, expected));
  return isJsonObject(mended) ? mended : root;
}

/** The value in the expected type, undefined to drop it, or the value itself if no harmless coercion exists. */
function coerce(value: Json, expected: string | undefined): Json | undefined {
  if (value === null) return undefined;
  if (expected === undefined) return value;
  if (expected === 'array') return toList(value);
  if (expected === 'string') return typeof value === 'object' ? value : String(value);
  const read = fromText(value);
  return read !== undefined && isOfType(read, expected) ? read : value;
}

function toList(value: Json): Json {
  const read = fromText(value);
  return Array.isArray(read) ? read : [value];
}

function isOfType(value: Json, expected: string): boolean {
  if (expected === 'object' || expected === 'record') return isJsonObject(value);
  return typeof value === (expected === 'int' ? 'number' : expected);
}

function fromText(value: Json): Json | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const json = /^(true|false)$/i.test(text) ? text.toLowerCase() : text;
  return parseJson(json) === undefined || !hasLosslessNumbers(json) ? undefined : JSON.parse(json);
}

/** A copy with the value at `path` changed; the same object if the path does not exist or nothing changes. */
function replaceAt(
  root: Json,
  path: readonly PropertyKey[],
  change: (value: Json) => Json | undefined,
): Json {
  const [key, ...rest] = path;
  const value = key === undefined ? undefined : at(root, key);
  if (key === undefined || value === undefined) return root;
  const next = rest.length === 0 ? change(value) : replaceAt(value, rest, change);
  if (next === value) return root;
  if (Array.isArray(root)) return root.map((item, index) => (index === key ? next : item));
  const entries = Object.entries(root ?? {}).map(([name, item]) => [
    name,
    name === key ? next : item,
  ]);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

function at(root: Json, key: PropertyKey): Json | undefined {
  if (Array.isArray(root)) return typeof key === 'number' ? root[key] : undefined;
  return isJsonObject(root) && typeof key === 'string' && Object.hasOwn(root, key)
    ? root[key]
    : undefined;
}

function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const whole = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  const { $schema: _, ...json } = withoutSafeIntegerBounds(JSON.parse(JSON.stringify(whole)));
  return json;
}

/** zod adds the range of safe integers to every integer, which is noise for a model. */
function withoutSafeIntegerBounds(schema: JsonObject): JsonObject {
  return JSON.parse(
    JSON.stringify(schema, (_, value) =>
      Math.abs(value) === Number.MAX_SAFE_INTEGER ? undefined : value,
    ),
  );
}

/** The schema of the model's input. Rules across keys need the presets too, so they are checked later. */
export function withoutKeys(schema: z.ZodObject, keys: readonly string[]): z.ZodType {
  if (keys.length === 0) return schema;
  const shape = Object.entries(schema.shape).filter(([key]) => !keys.includes(key));
  return z.object(Object.fromEntries(shape));
}
