import type { Json, JsonObject } from '../../../base/json.ts';
import type { Draft } from '../../../timeline/block.ts';
import type { CallId } from '../../../timeline/ids.ts';
import { paths } from '../../../timeline/paths.ts';
import type { ToolResult } from '../../../tools/ports/tool.ts';
import { toResultDraft } from '../../../tools/results/result-draft.ts';
import type { ExternalCall, ExternalEvent, ResultPart } from '../../ports/external-agent.ts';
import { nextCall } from '../../reply/accept-actions.ts';
import type { WorkerSession } from '../../session/session.ts';
import {
  externalCallsMax,
  externalInputCharsMax,
  externalOutputCharsMax,
  externalPreviewChars,
} from './limits.ts';

/** A call of the program, by the id that it has on the log. */
type KnownCall = { readonly id: CallId; readonly tool: string; readonly input: JsonObject };
type ResultEvent = Extract<ExternalEvent, { kind: 'result' }>;

/**
 * The calls of an agent program. It makes them itself, so the log is a report: a call is on it when the program names its
 * input, asks for permission or begins, and before its result.
 */
export class ExternalCalls {
  readonly #session: WorkerSession;
  readonly #onLog = new Map<string, KnownCall>();
  readonly #ended = new Set<string>();
  #count = 0;

  constructor(session: WorkerSession) {
    this.#session = session;
  }

  get isFull(): boolean {
    return this.#count >= externalCallsMax;
  }

  /** Undefined: it is not on the log, or it has its result. */
  idOf({ id }: ExternalCall): CallId | undefined {
    return this.#ended.has(id) ? undefined : this.#onLog.get(id)?.id;
  }

  /** Records the call unless it is on the log. One that has its result is a new call under the same id. */
  record(call: ExternalCall): { readonly known: KnownCall; readonly drafts: readonly Draft[] } {
    const before = this.#ended.has(call.id) ? undefined : this.#onLog.get(call.id);
    if (before) return { known: before, drafts: [] };
    const input = bounded(call.input);
    const known = { id: nextCall(this.#session.engine), tool: toolOf(call), input };
    this.#ended.delete(call.id);
    this.#onLog.set(call.id, known);
    this.#count += 1;
    return { known, drafts: [this.#intent(call, known)] };
  }

  async result(event: ResultEvent): Promise<readonly Draft[]> {
    if (this.#ended.has(event.call.id)) return [];
    const { known, drafts } = this.record(event.call);
    this.#ended.add(event.call.id);
    const { engine, conversation, turn } = this.#session;
    const place = { tenant: conversation.lease.row.tenant, turn: turn.id, call: known.id };
    const outcome = { result: resultOf(event), text: previewOf(event) };
    return [...drafts, await toResultDraft(place, outcome, engine.blobs)];
  }

  #intent(call: ExternalCall, { id, tool, input }: KnownCall): Draft {
    const { turn } = this.#session;
    const effects = harmless.has(call.kind) ? 'none' : 'unkeyed';
    return {
      type: 'react.tool.call',
      turn: turn.id,
      author: 'agent',
      call: id,
      path: paths.call(turn.id, id),
      data: { tool, input, key: id, effects, notes: '', title: call.title },
    };
  }
}

const harmless: ReadonlySet<string> = new Set(['read', 'search', 'think', 'fetch']);

function toolOf({ kind }: ExternalCall): string {
  return `agent.${/^[a-z][a-z_]*$/.test(kind) ? kind : 'other'}`;
}

function bounded(input: JsonObject): JsonObject {
  const text = JSON.stringify(input);
  if (text.length <= externalInputCharsMax) return input;
  return { cut: text.slice(0, externalInputCharsMax).toWellFormed(), chars: text.length };
}

function resultOf({ ok, parts, output }: ResultEvent): ToolResult {
  const ret: Json = {
    content: parts.map((part) => boundedPart(part)),
    ...(output === undefined ? {} : { output: boundedOutput(output) }),
  };
  if (ok) return { ok, ret };
  const message = textOf(parts).slice(0, externalPreviewChars) || 'The call failed.';
  return { ok, ret, error: { code: 'tool_failed', message, retryable: false } };
}

function boundedPart(part: ResultPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { ...part, text: cut(part.text) };
    case 'diff':
      return { ...part, diff: cut(part.diff) };
    case 'terminal':
      return { ...part, output: cut(part.output) };
  }
}

function boundedOutput(output: Json): Json {
  const text = JSON.stringify(output);
  return text.length <= externalOutputCharsMax ? output : cut(text);
}

function cut(text: string): string {
  return text.length <= externalOutputCharsMax
    ? text
    : `${text.slice(0, externalOutputCharsMax).toWellFormed()}…`;
}

function previewOf({ ok, parts }: ResultEvent): string {
  const text = textOf(parts).slice(0, externalPreviewChars).toWellFormed();
  return text === '' ? (ok ? 'OK' : 'failed') : text;
}

function textOf(parts: readonly ResultPart[]): string {
  return parts
    .map((part) =>
      part.type === 'text' ? part.text : part.type === 'diff' ? part.diff : part.output,
    )
    .join('\n');
}
