import type { JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { textOf } from '../../feed/wire-json.ts';
import type { Projection, ProjectionKind, SseFrame, StreamMark } from '../projection.ts';
import { type TextPiece, TextPieces } from '../text-pieces.ts';
import { answerArtifact, itemsOf, TaskState, type TaskStatus, toFile } from './task-state.ts';
import { artifactEvent, statusEvent, type TaskNames, taskEvent } from './wire-task.ts';

type Options = Omit<TaskNames, 'task' | 'context'> & {
  /** The id of the JSON-RPC request whose responses the events are. */
  readonly rpcId: string | number | null;
};

/** The id of a task names its conversation, so that every server finds it. */
export function taskIdOf(conversation: string, turn: string): string {
  return `${conversation}.${turn}`;
}

/** A turn as the events of an A2A task: the task, its progress, its answer in pieces, its end. */
export function a2a({ rpcId, version, origin }: Options): ProjectionKind {
  return {
    open: ({ conversation, turn }) => {
      const task = taskIdOf(conversation, turn);
      return new A2aProjection({ version, origin, task, context: conversation }, rpcId);
    },
    isResumable: true,
  };
}

class A2aProjection implements Projection {
  isOver = false;
  readonly #names: TaskNames;
  readonly #rpcId: Options['rpcId'];
  readonly #state = new TaskState();
  readonly #pieces = new TextPieces();
  /** The artifact of the answer has begun; the next piece is appended. */
  #isAnswering = false;

  constructor(names: TaskNames, rpcId: Options['rpcId']) {
    this.#names = names;
    this.#rpcId = rpcId;
  }

  get isWaiting(): boolean {
    return this.#state.questions.length > 0;
  }

  begin(): readonly SseFrame[] {
    return [this.#frame(taskEvent(this.#state, this.#names))];
  }

  pause(): readonly SseFrame[] {
    return [this.#status(this.#state.status, true)];
  }

  streams(): ReadonlyMap<string, StreamMark> {
    return this.#pieces.shown();
  }

  resume(streams: ReadonlyMap<string, StreamMark>): void {
    this.#pieces.resume(streams);
    if ([...streams.keys()].some((stream) => stream.includes('.answer.'))) this.#isAnswering = true;
  }

  take(envelope: WireEnvelope): readonly SseFrame[] {
    this.isOver = false;
    const pieces = this.#pieces.take(envelope).flatMap((piece) => this.#piece(piece));
    this.#state.take(envelope);
    return [...pieces, ...this.#step(envelope)];
  }

  #step({ type, data = {}, ts: at }: WireEnvelope): readonly SseFrame[] {
    switch (type) {
      case 'chat.start':
        return [this.#frame(taskEvent(this.#state, this.#names))];
      case 'round.open':
        return data['round'] === 1 ? [this.#status({ phase: 'working', at }, false)] : [];
      case 'chat.tool':
        return this.#progress(
          progressOf(data),
          `${textOf(data['call'])}.${textOf(data['state'])}`,
          at,
        );
      case 'chat.tool.progress':
        return this.#progress(
          textOf(data['text']),
          `${textOf(data['call'])}.${String(data['n'])}`,
          at,
        );
      case 'chat.files':
        return itemsOf(data).map((file) =>
          this.#frame(artifactEvent(toFile(file), this.#names, { append: false, lastChunk: true })),
        );
      case 'chat.complete':
      case 'chat.error':
        return this.#end();
      default:
        return [];
    }
  }

  #progress(text: string, id: string, at: string): readonly SseFrame[] {
    if (text === '') return [];
    const message = { id, role: 'agent', parts: [{ text }] } as const;
    return [this.#status({ phase: 'working', message, at }, false)];
  }

  #piece({ marker, ...piece }: TextPiece): readonly SseFrame[] {
    if (marker !== 'answer' || piece.kind === 'end') return [];
    if (piece.kind === 'discard') {
      // The next piece replaces the artifact.
      this.#isAnswering = false;
      return [];
    }
    const append = this.#isAnswering;
    this.#isAnswering = true;
    return [this.#answer(piece.text, { append, lastChunk: false })];
  }

  #answer(text: string, how: { append: boolean; lastChunk: boolean }): SseFrame {
    const artifact = { id: answerArtifact, name: answerArtifact, parts: [{ text }] };
    return this.#frame(artifactEvent(artifact, this.#names, how));
  }

  /** The whole answer, in place of its pieces, and the last status. */
  #end(): readonly SseFrame[] {
    this.isOver = true;
    const answer = this.#state.artifacts.find(({ id }) => id === answerArtifact);
    const whole = answer
      ? [this.#frame(artifactEvent(answer, this.#names, { append: false, lastChunk: true }))]
      : [];
    return [...whole, this.#status(this.#state.status, true)];
  }

  #status(status: TaskStatus, final: boolean): SseFrame {
    return this.#frame(statusEvent(status, this.#names, { final }));
  }

  #frame(result: JsonObject): SseFrame {
    return { data: JSON.stringify({ jsonrpc: '2.0', id: this.#rpcId, result }) };
  }
}

function progressOf(data: JsonObject): string {
  const tool = textOf(data['tool']);
  if (data['state'] === 'running') return `calling ${tool}`;
  return data['state'] === 'done' ? `${tool} has ended` : '';
}
