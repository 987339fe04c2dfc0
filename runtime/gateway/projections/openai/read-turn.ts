import type { JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { objectOf, textOf, withoutUndefined } from '../../feed/wire-json.ts';
import { answerOf, toolNameOf } from '../turn-facts.ts';
import { AnswerCitations, type UrlCitation } from './answer-citations.ts';
import { AnswerText } from './answer-text.ts';
import type { ProducedFile, Step, ToolRecord } from './steps.ts';
import { toTokenCount } from './token-count.ts';
import { callingProgress, completeProgress, type ServerCall, toRecord } from './tool-progress.ts';

/** Reads the envelopes of one turn, from its start, as steps. */
export class TurnReader {
  readonly #answer = new AnswerText('answer');
  readonly #reasoning = new AnswerText('reasoning');
  readonly #citations = new AnswerCitations();
  readonly #codes = new Map<string, string>();
  readonly #calls = new Map<string, ServerCall>();
  readonly #files: ProducedFile[] = [];
  readonly #fileIds = new Map<string, string[]>();
  readonly #records: ToolRecord[] = [];
  #completions = 0;
  /** The round of the last answer. */
  #answeredIn: number | undefined;

  get files(): readonly ProducedFile[] {
    return this.#files;
  }

  /** Calls that ran on the server and have ended, in order. */
  get records(): readonly ToolRecord[] {
    return this.#records;
  }

  /** The links to sources in an answer that follows this number of characters. */
  citationsIn(answer: string, after = 0): readonly UrlCitation[] {
    return this.#citations.in(answer, after);
  }

  take(envelope: WireEnvelope): readonly Step[] {
    const data = envelope.data ?? {};
    switch (envelope.type) {
      case 'chat.start':
        return [{ kind: 'begin' }];
      case 'chat.delta':
        return this.#delta(envelope);
      case 'stream.reset':
        for (const text of [this.#answer, this.#reasoning]) text.reset(textOf(data['stream']));
        return [];
      case 'react.thinking':
        return this.#reasoning.complete(textOf(data['stream']), textOf(data['text']));
      case 'chat.completion':
        this.#completions += 1;
        this.#answeredIn = envelope.round;
        // With those of earlier turns.
        this.#citations.learn(data['sources']);
        return this.#answer.complete(textOf(data['stream']), textOf(data['text']));
      case 'round.close':
        return this.#roundEnd(envelope, data);
      case 'timeline_text':
        return [{ kind: 'remark', text: textOf(data['text']) }];
      case 'canvas':
        return [{ kind: 'canvas', canvas: canvasOf(data) }];
      case 'chat.complete':
      case 'chat.error':
        return this.#end(envelope.type, data);
      default:
        return this.#call(envelope, data);
    }
  }

  #roundEnd({ round }: WireEnvelope, { outcome }: JsonObject): readonly Step[] {
    if (this.#answeredIn === undefined || this.#answeredIn !== round) return [];
    this.#answeredIn = undefined;
    return [{ kind: 'answer_end', isCut: outcome === 'interrupted' }];
  }

  #delta({ delta }: WireEnvelope): readonly Step[] {
    if (delta?.marker === 'answer') return this.#answer.delta(delta);
    return delta?.marker === 'thinking' ? this.#reasoning.delta(delta) : [];
  }

  #call(envelope: WireEnvelope, data: JsonObject): readonly Step[] {
    switch (envelope.type) {
      case 'react.code':
        this.#codes.set(textOf(data['call']), textOf(data['text']));
        return [];
      case 'chat.tool':
        return this.#tool(envelope, data);
      case 'chat.files':
        return this.#produced(envelope, data);
      case 'chat.approval':
        return [{ kind: 'approval', approval: approvalOf(envelope, data) }];
      case 'external.call':
        return [clientCall(data, { parked: true })];
      case 'chat.citations':
        this.#citations.learn(data['items']);
        return [];
      default:
        return [];
    }
  }

  #tool({ round = 0 }: WireEnvelope, data: JsonObject): readonly Step[] {
    const [call, tool] = [textOf(data['call']), toolNameOf(textOf(data['tool']))];
    const { state, input = {}, result } = data;
    if (state === 'running') {
      const code = this.#codes.get(call);
      const started = { call, tool, round, input, ...(code === undefined ? {} : { code }) };
      this.#calls.set(call, started);
      return [{ kind: 'progress', progress: callingProgress(started) }];
    }
    if (state !== 'done') return [];
    const started = this.#calls.get(call);
    // Its client has performed it, and the turn goes on.
    if (!started) return [{ kind: 'begin' }];
    const ended = { result: objectOf(result), fileIds: this.#fileIds.get(call) ?? [] };
    this.#records.push(toRecord(started, ended));
    return [{ kind: 'progress', progress: completeProgress(started, ended) }];
  }

  #produced(envelope: WireEnvelope, { items, call }: JsonObject): readonly Step[] {
    const made = (Array.isArray(items) ? items : []).map((item) =>
      this.#file(envelope, { item: objectOf(item), call: textOf(call) }),
    );
    return made.map((file) => ({ kind: 'file', file }));
  }

  #file(
    { turn_id: turn, round = 0, ts }: WireEnvelope,
    { item, call }: { readonly item: JsonObject; readonly call: string },
  ): ProducedFile {
    const n = this.#files.filter((file) => file.round === round).length;
    const file: ProducedFile = {
      id: fileIdOf({ turn, round, n }),
      object: 'file',
      filename: textOf(item['filename']),
      mime_type: textOf(item['mime']) || 'application/octet-stream',
      bytes: Number(item['size'] ?? 0),
      purpose: 'assistants_output',
      created_at: secondsOf(ts),
      round,
      source: { tool: this.#calls.get(call)?.tool ?? '', round, turn },
      path: textOf(item['path']),
    };
    this.#files.push(file);
    this.#fileIds.set(call, [...(this.#fileIds.get(call) ?? []), file.id]);
    return file;
  }

  #end(type: 'chat.complete' | 'chat.error', data: JsonObject): readonly Step[] {
    const reason = type === 'chat.error' ? 'failed' : textOf(data['reason']);
    const kept = { kept: reason === 'interrupted' };
    const left = [...this.#reasoning.close({ kept: true }), ...this.#answer.close(kept)];
    const text = answerOf(data);
    // A text that no completion brought, such as that of a turn that was stopped.
    const isUnseen = this.#completions === 0 && text !== '' && left.length === 0;
    const shown = isUnseen ? this.#answer.complete('', text) : [];
    const failure = { code: textOf(data['code']), message: textOf(data['message']) };
    return [
      ...left,
      ...shown,
      ...handedOff(data),
      {
        kind: 'end',
        reason,
        text,
        ...(data['output'] === undefined ? {} : { output: data['output'] }),
        tokens: toTokenCount(data['usage']),
        ...(type === 'chat.error' ? { failure } : {}),
      },
    ];
  }
}

export function fileIdOf({ turn, round, n }: { turn: string; round: number; n: number }): string {
  return `file_${turn}_r${round}_${n}`;
}

export function secondsOf(ts: string): number {
  const ms = Date.parse(ts);
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1_000);
}

/** The turn closed with calls that the client performs. */
function handedOff({ calls, usage }: JsonObject): readonly Step[] {
  const list = Array.isArray(calls) ? calls : [];
  return list.map((call) =>
    clientCall({ ...objectOf(call), ...(usage ? { usage } : {}) }, { parked: false }),
  );
}

function clientCall(data: JsonObject, { parked }: { readonly parked: boolean }): Step {
  const call = {
    id: textOf(data['call']),
    name: toolNameOf(textOf(data['tool'])),
    arguments: JSON.stringify(data['input'] ?? {}),
  };
  return { kind: 'client_call', call, parked, tokens: toTokenCount(data['usage']) };
}

function approvalOf(
  { conversation_id, round = 0 }: WireEnvelope,
  { request, tool, title, input, deadline }: JsonObject,
): JsonObject {
  return withoutUndefined({
    approval_id: request,
    session_id: conversation_id,
    round,
    tool,
    arguments: input,
    title,
    deadline,
  });
}

function canvasOf({ name, mime, title, text, path }: JsonObject): JsonObject {
  return withoutUndefined({ name, mime, title, text, path });
}
