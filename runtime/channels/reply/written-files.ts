import { isJsonObject } from '../../base/json.ts';
import type { Decision } from './decision.ts';
import type { ToolFacts } from './rules.ts';

const writers: readonly string[] = ['react.write', 'react.patch'];

/** The files that an action will write, in one spelling: `outputs/…`, `files/…`. */
export function writtenFiles(decision: Decision, facts: ToolFacts | undefined): readonly string[] {
  if (decision.action !== 'call_tool') return [];
  const { tool_id, params } = decision.tool_call;
  if (writers.includes(tool_id)) return namesOf([params['path']]);
  const { contract } = params;
  if (facts?.kind !== 'exec' || !Array.isArray(contract)) return [];
  return namesOf(contract.map((item) => (isJsonObject(item) ? item['filepath'] : undefined)));
}

function namesOf(values: readonly unknown[]): readonly string[] {
  return values.flatMap((value) => (typeof value === 'string' ? [plain(value)] : []));
}

/** The path without its optional prefixes: `fi:`, the turn, `./`. */
function plain(path: string): string {
  return path
    .trim()
    .replace(/^(conv:)?fi:/, '')
    .replace(/^turn_\w+[./]/, '')
    .replace(/^(\.\/)+/, '')
    .replace(/\/{2,}/g, '/');
}
