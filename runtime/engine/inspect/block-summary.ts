import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import { grouped } from '../../tools/text/cut-text.ts';

type Facts = (data: JsonObject, block: Block) => readonly (string | undefined)[];

/** The main facts of each block type besides its text. */
const facts: Readonly<Record<string, Facts>> = {
  'turn.open': ({ bundle, agent }) => [[bundle, agent].filter(isText).join('/')],
  'turn.close': ({ reason, error, usage }) => [asText(reason), problem(error), tokens(usage)],
  'round.open': ({ round, phase, model }) => [
    `round ${asText(round)}`,
    asText(phase),
    asText(model),
  ],
  'round.close': ({ round, outcome }) => [`round ${asText(round)}`, asText(outcome)],
  'model.call': ({ model, role, finish, usage, ms, first_token_ms, cost_usd }) => [
    ...[asText(model), asText(role), asText(finish), tokens(usage)],
    typeof ms === 'number' ? `${seconds(ms)}${firstToken(first_token_ms)}` : undefined,
    typeof cost_usd === 'number' && cost_usd > 0 ? `$${cost_usd.toFixed(4)}` : undefined,
  ],
  'react.tool.call': ({ tool, input }) => [asText(tool), compact(input)],
  'react.tool.result': ({ ok, error, ret }, { text }) => [
    ok === true ? 'ok' : (problem(error) ?? 'failed'),
    text ?? (ret === undefined ? undefined : compact(ret)),
  ],
  'approval.request': ({ title, detail }) => [asText(title), asText(detail)],
  'approval.decision': ({ allow, remember }) => [
    allow === true ? 'allowed' : 'denied',
    remember === 'once' ? undefined : asText(remember),
  ],
  'approval.close': ({ tool, outcome }) => [asText(tool), asText(outcome)],
  'source.row': ({ sid, title, url }) => [`[${asText(sid)}] ${asText(title)}`, asText(url)],
  'react.notice': ({ code }, { text }) => [asText(code), text],
  'artifact.file': ({ filename, size }) => [
    asText(filename),
    typeof size === 'number' ? `${grouped(size)} bytes` : undefined,
  ],
};

/** A block in one line: the main facts of its type, else its text, else its data. */
export function summarizeBlock(block: Block): string {
  const data = isJsonObject(block.data) ? block.data : {};
  const known = facts[block.type]?.(data, block).filter(
    (fact) => fact !== undefined && fact !== '',
  );
  const summary = known?.join(' · ') ?? block.text ?? '';
  if (summary !== '') return summary;
  return Object.keys(data).length === 0 ? '' : compact(data);
}

export function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

function asText(value: Json | undefined): string | undefined {
  return isText(value) || typeof value === 'number' ? String(value) : undefined;
}

function compact(value: Json | undefined): string {
  return value === undefined ? '' : JSON.stringify(value);
}

function problem(error: Json | undefined): string | undefined {
  if (!isJsonObject(error)) return undefined;
  return [error['code'], error['message']].filter(isText).join(': ');
}

function firstToken(ms: Json | undefined): string {
  return typeof ms === 'number' ? ` (first token ${seconds(ms)})` : '';
}

/** Input tokens, including cached ones, and output tokens, as the provider counts them. */
function tokens(usage: Json | undefined): string | undefined {
  if (!isJsonObject(usage)) return undefined;
  const count = (name: string) => (typeof usage[name] === 'number' ? usage[name] : 0);
  const cached = count('cache_read_tokens');
  const input = count('input_tokens') + cached + count('cache_write_tokens');
  const read = cached > 0 ? ` (${grouped(cached)} cached)` : '';
  return `${grouped(input)} in${read}, ${grouped(count('output_tokens'))} out`;
}
