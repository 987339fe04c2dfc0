import type { Json, JsonObject } from '../../../base/json.ts';
import { isSearchTool } from '../../../tools/web/web-scope.ts';
import { objectOf, textOf, withoutUndefined } from '../../feed/wire-json.ts';
import type { ProducedFile, ToolProgress, ToolRecord } from './steps.ts';

/** A call that runs on the server, as far as it is known. */
export type ServerCall = {
  readonly call: string;
  readonly tool: string;
  readonly round: number;
  readonly input: Json;
  /** The program of an exec tool. */
  readonly code?: string;
};

/** What the end of a turn reports of its files and calls. */
export function filesAndCalls({
  files,
  records,
}: {
  readonly files: readonly ProducedFile[];
  readonly records: readonly ToolRecord[];
}): JsonObject {
  return {
    ...(files.length > 0 ? { files: files.map((file) => ({ ...file })) } : {}),
    ...(records.length > 0 ? { agentic_tool_calls: records.map((each) => ({ ...each })) } : {}),
  };
}

export function callingProgress(call: ServerCall): ToolProgress {
  return { ...placeOf(call), phase: 'calling', data: callData(call) };
}

export function completeProgress(
  call: ServerCall,
  { result, fileIds }: { readonly result: JsonObject; readonly fileIds: readonly string[] },
): ToolProgress {
  const files = fileIds.length === 0 ? {} : { file_ids: fileIds };
  const data = { ...callData(call), ...resultData(call, result), ...files };
  return { ...placeOf(call), phase: 'complete', data };
}

export function toRecord(
  call: ServerCall,
  { result, fileIds }: { readonly result: JsonObject; readonly fileIds: readonly string[] },
): ToolRecord {
  return {
    round: call.round,
    name: call.tool,
    arguments: JSON.stringify(call.input),
    result_content: contentOf(call, result),
    file_ids: fileIds,
  };
}

function placeOf({ round, tool, call }: ServerCall) {
  return { round, tool_name: tool, call_id: call };
}

function typeOf({ tool, code }: ServerCall): 'code_execution' | 'web_search' | 'custom' {
  if (code !== undefined) return 'code_execution';
  return isSearchTool(tool) ? 'web_search' : 'custom';
}

function callData(call: ServerCall): JsonObject {
  const tool_type = typeOf(call);
  if (tool_type === 'code_execution') return { tool_type, code: call.code ?? '' };
  if (tool_type === 'custom') return { tool_type, arguments: call.input };
  const { query, q } = objectOf(call.input);
  return { tool_type, query: textOf(query) || textOf(q) };
}

function resultData(call: ServerCall, result: JsonObject): JsonObject {
  const tool_type = typeOf(call);
  if (tool_type === 'code_execution') return programData(result);
  if (tool_type === 'web_search' && result['ok'] !== false) {
    return { results_count: resultsIn(result['ret'] ?? null) };
  }
  return { content: contentOf(call, result) };
}

/** Images and videos of a program are files: their ids are beside the data. */
function programData({ ret, error }: JsonObject): JsonObject {
  const envelope = objectOf(ret);
  const { run } = objectOf(envelope['phases_ms']);
  const message = textOf(objectOf(error)['message']);
  return withoutUndefined({
    // A result that is too long for the wire is a preview.
    stdout: envelope['user_out_tail'] ?? envelope['preview'] ?? '',
    stderr: envelope['runtime_err_tail'] ?? '',
    exception: message === '' ? null : message,
    execution_time_ms: run,
  });
}

function resultsIn(ret: Json): number {
  if (Array.isArray(ret)) return ret.length;
  const { results, items } = objectOf(ret);
  const list = Array.isArray(results) ? results : items;
  return Array.isArray(list) ? list.length : 0;
}

/** The result as text; a failure in the form of mistral.rs. */
function contentOf({ tool }: ServerCall, { ok, ret, error }: JsonObject): string {
  if (ok !== false) return typeof ret === 'string' ? ret : JSON.stringify(ret ?? null);
  const { code, message } = objectOf(error);
  const status = code === 'tool_not_found' ? 'not_found' : 'failed';
  return JSON.stringify({ error: textOf(message), tool, status });
}
