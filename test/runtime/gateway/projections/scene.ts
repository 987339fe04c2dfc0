import type { JsonObject } from '../../../../runtime/base/json.ts';
import type { WireEnvelope } from '../../../../runtime/client/protocol/envelope.ts';
import type { DeltaFrame } from '../../../../runtime/engine/ports/bus.ts';
import { beginning } from '../../../../runtime/gateway/feed/cursor.ts';
import { EnvelopeEncoder } from '../../../../runtime/gateway/feed/envelope-encoder.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { toCallId, toSeq, toStreamName, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';

const turn = toTurnId('turn_1');

/** Writes the envelopes of one turn, through the encoder that every feed uses. */
export class Scene {
  readonly envelopes: WireEnvelope[] = [];
  readonly #encoder = new EnvelopeEncoder('conv_a', beginning);
  #seq = 0;
  #number = 0;
  #offsets = new Map<string, number>();
  fence = 1;
  round = 1;

  block(type: string, more: Omit<Partial<Block>, 'call' | 'path'> & { call?: string } = {}): void {
    this.#seq += 1;
    const { call, ...rest } = more;
    const at = new Date(Date.UTC(2026, 0, 1, 12, 0, this.#seq)).toISOString();
    const place = { conversation: 'conv_a', seq: toSeq(this.#seq), turn, at };
    const named = call === undefined ? {} : { call: toCallId(call) };
    const path = toBlockPath(
      `${type === 'artifact.file' ? 'fi' : 'ar'}:${turn}.${type}.${this.#seq}`,
    );
    const block: Block = { ...place, type, author: 'agent', path, meta: {}, ...rest, ...named };
    this.envelopes.push(...this.#encoder.block(block));
  }

  delta(marker: string, text: string, more: Partial<DeltaFrame> = {}): void {
    const stream = more.stream ?? this.stream(marker);
    const offset = more.offset ?? this.#offsets.get(stream) ?? 0;
    this.#offsets.set(stream, offset + text.length);
    this.#number += 1;
    const place = { after: toSeq(this.#seq), fence: this.fence, number: this.#number, turn };
    const named = { channel: marker, instance: 1, stream, marker };
    const frame: DeltaFrame = {
      ...{ kind: 'delta', ...place, round: this.round, ...named, text, offset, completed: false },
      ...more,
    };
    this.envelopes.push(...this.#encoder.frame(frame));
  }

  live(type: string, data: JsonObject): void {
    this.#number += 1;
    const place = { after: toSeq(this.#seq), fence: this.fence, number: this.#number, turn };
    const frame = { kind: 'live' as const, ...place, round: this.round, type, data };
    if (type === 'stream.reset') this.#offsets.clear();
    this.envelopes.push(...this.#encoder.frame(frame));
  }

  stream(marker: string) {
    return toStreamName(`${turn}.${this.round}.${marker}.1`);
  }

  open(text = 'What is 1 + 2?'): void {
    this.block('turn.open', { author: 'system', data: { bundle: 'desk', agent: 'main', text } });
    this.block('user.prompt', { author: 'user', event: 'm1', text });
    this.begin(1, [{ event_id: 'm1', seq: 2 }]);
  }

  begin(round: number, landed: readonly JsonObject[] = [], phase = 'decision'): void {
    this.round = round;
    this.block('round.open', { author: 'system', data: { round, phase, landed: [...landed] } });
  }

  end(outcome = 'acted'): void {
    this.block('round.close', { author: 'system', data: { round: this.round, outcome } });
  }

  /** The beginning of a stream. */
  write(marker: string, text: string): void {
    for (const piece of inPieces(text)) this.delta(marker, piece);
  }

  think(text: string): void {
    this.write('thinking', text);
  }

  thought(text: string): void {
    this.block('react.thinking', { text, data: { stream: this.stream('thinking') } });
  }

  call(call: string, tool: string, { waits, ...input }: JsonObject = {}): void {
    const wait = waits === undefined ? {} : { waits };
    this.block('react.tool.call', { call, data: { tool, input, ...wait } });
  }

  result(call: string, ret: unknown): void {
    this.block('react.tool.result', {
      author: 'tool',
      call,
      data: { ok: true, ret: ret as string },
    });
  }

  answer(text: string): void {
    this.write('answer', text);
    this.delta('answer', '', { completed: true });
  }

  completion(text: string, more: JsonObject = {}): void {
    const data = { stream: this.stream('answer'), n: 1, degraded: false, ...more };
    this.block('assistant.completion', { text, data });
  }

  close(text: string, more: JsonObject = {}): void {
    const usage = {
      ...{ input_tokens: 10, output_tokens: 5, cache_read_tokens: 2, cache_write_tokens: 1 },
      cost_usd: 0.01,
    };
    const data = { reason: 'completed', text, degraded: false, completions: 1, files: [], usage };
    this.block('turn.close', { author: 'system', data: { ...data, ...more } });
  }
}

export function inPieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,7}/g) ?? [];
}

export function scene(play: (scene: Scene) => void): readonly WireEnvelope[] {
  const written = new Scene();
  written.open();
  play(written);
  return written.envelopes;
}
