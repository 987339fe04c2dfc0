import type { JsonObject } from '../../base/json.ts';
import { replaceCitations } from '../../channels/citations/citations.ts';
import { objectOf, textOf } from '../feed/wire-json.ts';

/** Tokens of a turn, in the words that most protocols use. The prompt includes what was read from or written to a cache. */
export type TokenCounts = {
  readonly prompt: number;
  readonly completion: number;
  readonly total: number;
  readonly cached: number;
};

/** `data` is that of `chat.complete` or `chat.error`. */
export function tokensOf(data: JsonObject): TokenCounts {
  const usage = objectOf(data['usage']);
  const count = (key: string) => {
    const tokens = usage[key];
    return typeof tokens === 'number' ? tokens : 0;
  };
  const cached = count('cache_read_tokens');
  const prompt = count('input_tokens') + cached + count('cache_write_tokens');
  const completion = count('output_tokens');
  return { prompt, completion, total: prompt + completion, cached };
}

/** The answer of a turn, with its citations as Markdown links. `data` is that of `chat.complete`. */
export function answerOf(data: JsonObject): string {
  const { text, sources } = data;
  const rows = (Array.isArray(sources) ? sources : []).map(objectOf);
  return replaceCitations(textOf(text), (sid) => {
    const row = rows.find((source) => source['sid'] === sid);
    return row && { title: textOf(row['title']), url: textOf(row['url']) };
  });
}

/** The result of a call, as `chat.tool` reports it. */
export type ToolOutcome =
  | { readonly ok: true; readonly ret: unknown }
  | { readonly ok: false; readonly code: string; readonly message: string };

export function outcomeOf(data: JsonObject): ToolOutcome {
  const result = objectOf(data['result']);
  if (result['ok'] !== false) return { ok: true, ret: result['ret'] ?? null };
  const { code, message } = objectOf(result['error']);
  return { ok: false, code: textOf(code) || 'tool_failed', message: textOf(message) };
}

/** Ids of tools that the sender of a message declares begin with this. */
const clientPrefix = 'client.';

/** The name of a tool for clients: what a message declares is called by the name under which it declared it. */
export function toolNameOf(id: string): string {
  return id.startsWith(clientPrefix) ? id.slice(clientPrefix.length) : id;
}

/** A value as text: itself, or its JSON. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** Seconds between the times of two envelopes, in milliseconds precision. */
export function secondsBetween(from: string, to: string): number {
  const ms = Date.parse(to) - Date.parse(from);
  return Number.isFinite(ms) ? Math.max(0, ms) / 1000 : 0;
}
