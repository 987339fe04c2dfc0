import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { returnsCharsMax } from '../limits.ts';
import type { ToolSpec } from '../ports/tool.ts';
import { cutText } from '../text/cut-text.ts';
import { listedParams } from './listed-params.ts';

/** What the system text says about a skill. `id` has no `sk:` prefix. */
export type SkillEntry = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
};

const nestingMax = 4;
/** Larger limits of texts and numbers are not worth listing. */
const longTextChars = 400;
const farBound = 100_000;

/** The tool catalogue of the system text, sorted by id: the same tools give the same bytes, whatever their order. */
export function catalogText(specs: readonly ToolSpec[]): string {
  return byId(specs).map(toolText).join('\n\n');
}

/** The skill catalogue of the system text: one line each, by id. */
export function skillCatalogText(skills: readonly SkillEntry[]): string {
  return byId(skills)
    .map(({ id, name, description }) => `- sk:${id} · ${oneLine(name)}: ${oneLine(description)}`)
    .join('\n');
}

function byId<Entry extends { readonly id: string }>(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Which calls it may share a reply with, as the catalogue says it. */
export function traitsText({ traits }: ToolSpec): string {
  return traits.length === 0 ? 'none, so alone in its reply' : traits.join(', ');
}

function toolText(spec: ToolSpec): string {
  const parameters = parameterLines(spec.parameters);
  return [
    `### ${spec.id}`,
    spec.description.trim(),
    `traits: ${traitsText(spec)}${spec.effects === 'none' ? '' : ' · has effects'}`,
    parameters.length === 0 ? 'parameters: none' : 'parameters:',
    ...parameters,
    ...returnsLines(spec),
  ].join('\n');
}

/** What its result is, as the catalogue says it; empty if its author does not say. */
export function returnsLines({ returns }: ToolSpec): readonly string[] {
  if (!returns) return [];
  const text = typeText(returns, 0);
  const shown = text.length > returnsCharsMax ? `${cutText(text, returnsCharsMax)}…` : text;
  return [`returns: ${shown}`];
}

function parameterLines(schema: JsonObject): readonly string[] {
  const listed = { ...schema, properties: listedParams(schema) };
  return members(listed).map(({ name, optional, of }) => {
    const about = typeof of['description'] === 'string' ? ` — ${oneLine(of['description'])}` : '';
    return `- ${name}${optional ? '?' : ''}: ${typeText(of, 0)}${about}`;
  });
}

function members(schema: JsonObject) {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(object(schema['properties'])).map(([name, of]) => ({
    name,
    optional: !required.includes(name),
    of: object(of),
  }));
}

/** A JSON Schema in the shorthand a programmer would write: `string[]`, `{ a: number, b?: "x" | "y" = "x" }`. */
function typeText(schema: JsonObject, depth: number): string {
  const preset = schema['default'];
  const isEmpty = preset === '' || preset === false || JSON.stringify(preset) === '[]';
  const shown = preset === undefined || isEmpty ? '' : ` = ${JSON.stringify(preset)}`;
  return `${bareType(schema, depth)}${limitsText(schema)}${shown}`;
}

function bareType(schema: JsonObject, depth: number): string {
  const choices = schema['enum'] ?? (schema['const'] === undefined ? undefined : [schema['const']]);
  if (Array.isArray(choices)) return choices.map((value) => JSON.stringify(value)).join(' | ');
  const variants = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(variants)) {
    return variants.map((variant) => typeText(object(variant), depth)).join(' | ');
  }
  if (schema['type'] === 'array') return `${itemText(object(schema['items']), depth)}[]`;
  if (schema['type'] === 'object') return objectText(schema, depth);
  if (Array.isArray(schema['type'])) return schema['type'].join(' | ');
  const type = typeof schema['type'] === 'string' ? schema['type'] : 'any';
  return typeof schema['format'] === 'string' ? `${type}(${schema['format']})` : type;
}

function itemText(schema: JsonObject, depth: number): string {
  const text = typeText(schema, depth);
  return /^[\w(]+$/.test(text) || text.startsWith('{') ? text : `(${text})`;
}

function objectText(schema: JsonObject, depth: number): string {
  const inner = members(schema);
  if (inner.length === 0 || depth >= nestingMax) return 'object';
  const fields = inner.map(
    ({ name, optional, of }) => `${name}${optional ? '?' : ''}: ${typeText(of, depth + 1)}`,
  );
  return `{ ${fields.join(', ')} }`;
}

function isWorthShowing(name: string, value: number): boolean {
  if (name === 'length ≤') return value < longTextChars;
  return Math.abs(value) < farBound && !(name === 'at least' && value <= 1);
}

/** Limits that a model is likely to reach. It learns of the others from the error when it exceeds one. */
function limitsText(schema: JsonObject): string {
  const bounds = [
    ['≥', schema['minimum']],
    ['≤', schema['maximum']],
    ['length ≤', schema['maxLength']],
    ['at least', schema['minItems']],
    ['at most', schema['maxItems']],
  ].filter(([name, value]) => typeof value === 'number' && isWorthShowing(String(name), value));
  return bounds.length === 0 ? '' : ` (${bounds.map((bound) => bound.join(' ')).join(', ')})`;
}

function object(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
