import { Fault } from '../../../base/fault.ts';
import type { ReplyPiece } from '../../../channels/protocol/reply-piece.ts';
import type { Model, ModelEvent, ModelRequest } from '../../../engine/ports/model.ts';
import { countTokens } from '../../../timeline/tokens.ts';
import { pause } from '../providers/pause.ts';
import { scriptedChunkChars, scriptedRequestsMax } from './limits.ts';

import { type ParsedReply, parseScript, type Reply, type ScriptInput } from './reply.ts';
import { ReplyGate } from './reply-gate.ts';
import { holdMark, toPieces } from './reply-pieces.ts';
import { ScriptPlayer } from './script-player.ts';
import { fillIn, type ScriptedRequest, toScriptedRequest } from './scripted-request.ts';

/** How a test or a demo controls and inspects a scripted model. */
export interface ScriptedControl {
  /** Resolves when the reply with this `hold` has streamed up to its pause. @throws Fault SCRIPT_INVALID if no reply has it. */
  held(name: string): Promise<void>;
  /** Lets the reply continue. May be called before the reply reaches its pause. */
  release(name: string): void;
  /** Every request, oldest first; the first are dropped beyond 500. */
  readonly requests: readonly ScriptedRequest[];
  /** Number of replies not given yet. */
  readonly left: number;
}

export type ScriptedOptions = {
  /** The model's id: `scripted:<name>`. */
  readonly id: string;
  readonly contextTokens?: number;
};

/**
 * A model that gives prepared replies in order and never guesses.
 *
 * @throws Fault SCRIPT_INVALID, naming reply and key.
 */
export function createScriptedModel(
  replies: readonly Reply[] | ScriptInput,
  options: ScriptedOptions,
): Model & ScriptedControl {
  return new ScriptedModel(replies, options);
}

class ScriptedModel implements Model, ScriptedControl {
  readonly id: string;
  readonly contextTokens: number;
  readonly requests: ScriptedRequest[] = [];
  readonly #script;
  readonly #player: ScriptPlayer;
  readonly #holds: ReadonlyMap<string, ReplyGate>;

  constructor(replies: readonly Reply[] | ScriptInput, { id, contextTokens }: ScriptedOptions) {
    this.id = id;
    this.contextTokens = contextTokens ?? 200_000;
    this.#script = parseScript(replies);
    this.#player = new ScriptPlayer(this.#script);
    this.#holds = new Map(
      this.#script.replies.flatMap(({ hold }) =>
        hold === undefined ? [] : [[hold, new ReplyGate()]],
      ),
    );
  }

  get left(): number {
    return this.#player.left;
  }

  async held(name: string): Promise<void> {
    await this.#hold(name).reached;
  }

  release(name: string): void {
    this.#hold(name).release();
  }

  costUsd(): number {
    return 0;
  }

  async *stream(
    request: ModelRequest,
    { signal }: { signal: AbortSignal },
  ): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const asked = toScriptedRequest(request);
    this.requests.push(asked);
    if (this.requests.length > scriptedRequestsMax) this.requests.shift();
    const { reply, cache } = this.#player.next(asked);
    const input = cache.meter(request);
    const pieces = toPieces(reply, request.protocol ?? 'channels').map((piece) =>
      'text' in piece ? { ...piece, text: fillIn(piece.text, asked) } : piece,
    );
    const pace = { ...this.#paceOf(reply), signal };
    for (const piece of pieces) yield* this.#play(piece, { hold: reply.hold, pace });
    if (reply.fault) throw new Fault(reply.fault.code, { because: 'the script sets this fault' });
    const said = pieces.map((piece) => ('text' in piece ? piece.text : '')).join('');
    const usage = { ...input, outputTokens: countTokens(said.replace(holdMark, '')) };
    yield { kind: 'done', finish: reply.finish, usage, model: this.id };
  }

  async *#play(piece: ReplyPiece, { hold, pace }: Playing): AsyncGenerator<ModelEvent> {
    if (!('text' in piece)) {
      yield piece;
      return;
    }
    const parts = hold === undefined ? [piece.text] : piece.text.split(holdMark);
    for (const [index, text] of parts.entries()) {
      if (index > 0 && hold !== undefined) await this.#hold(hold).wait(pace.signal);
      yield* streamText({ ...piece, text }, pace);
    }
  }

  #paceOf(reply: ParsedReply): Omit<Pace, 'signal'> {
    return {
      chunk: reply.chunk ?? this.#script.chunk ?? scriptedChunkChars,
      delayMs: reply.delay_ms ?? this.#script.delay_ms ?? 0,
    };
  }

  #hold(name: string): ReplyGate {
    const hold = this.#holds.get(name);
    if (hold) return hold;
    throw new Fault('SCRIPT_INVALID', {
      because: `no reply has hold "${name}"; known holds: ${[...this.#holds.keys()].join(', ') || 'none'}`,
    });
  }
}

type Pace = { readonly chunk: number; readonly delayMs: number; readonly signal: AbortSignal };
type Playing = { readonly hold: string | undefined; readonly pace: Pace };

async function* streamText(
  piece: Extract<ReplyPiece, { readonly text: string }>,
  { chunk, delayMs, signal }: Pace,
): AsyncGenerator<ModelEvent> {
  for (const text of cut(piece.text, chunk)) {
    await pause(delayMs, signal);
    yield { ...piece, text };
  }
}

/** Never splits a surrogate pair. */
function* cut(text: string, chunk: number): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = start + chunk;
    const halved = /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
    yield text.slice(start, halved ? end + 1 : end);
    start = halved ? end + 1 : end;
  }
}
