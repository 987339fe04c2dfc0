import { isJsonObject } from '../../base/json.ts';
import type { ResolvedPath } from '../ports/call-services.ts';

/** What the program of a call printed, as the model saw it. Undefined: it was not the call of a program. */
export function printedText({ data, blob }: ResolvedPath, whole: string): string | undefined {
  const value = blob === undefined ? (isJsonObject(data) ? data['ret'] : undefined) : parse(whole);
  if (!isJsonObject(value) || !('execution_id' in value)) return undefined;
  const { report_text: report, user_out: all, user_out_tail: tail } = value;
  if (typeof report !== 'string' || typeof tail !== 'string') return undefined;
  if (typeof all === 'string') return all;
  return outputSection(report, tail.trimEnd()) ?? tail;
}

function parse(json: string): unknown {
  return json.startsWith('{') ? JSON.parse(json) : undefined;
}

/** The section of the report that ends as the output does: a printed text may have the same heading. */
function outputSection(report: string, end: string): string | undefined {
  for (const { 0: head, 1: fence = '', index } of report.matchAll(/^## Output.*\n(`{3,})\n/gm)) {
    const start = index + head.length;
    const close = report.indexOf(`\n${fence}`, start);
    const text = report.slice(start, close === -1 ? undefined : close);
    if (text.trimEnd().endsWith(end)) return text;
  }
  return undefined;
}
