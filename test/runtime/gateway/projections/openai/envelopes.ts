import type { JsonObject } from '../../../../../runtime/base/json.ts';
import type { WireDelta, WireEnvelope } from '../../../../../runtime/client/protocol/envelope.ts';

const usage = {
  ...{ input_tokens: 20, output_tokens: 7, cost_usd: 0.5 },
  ...{ cache_read_tokens: 100, cache_write_tokens: 3 },
};

/** Writes the envelopes of one turn as a feed sends them. */
export class EnvelopeScript {
  readonly sent: WireEnvelope[] = [];
  #seq = 0;
  #round = 0;
  readonly #offsets = new Map<string, number>();

  block(type: string, data: JsonObject = {}): this {
    this.#seq += 1;
    return this.#push(type, { data });
  }

  delta(marker: string, text: string, more: Partial<WireDelta> = {}): this {
    const stream = more.stream ?? `turn_a.${this.#round}.${marker}.0`;
    const offset = more.offset ?? this.#offsets.get(stream) ?? 0;
    this.#offsets.set(stream, offset + text.length);
    const named = { channel: marker, instance: 0, stream, marker };
    const delta = { ...named, text, offset, completed: false, ...more };
    return this.#push('chat.delta', { delta });
  }

  reset(stream: string): this {
    this.#offsets.delete(stream);
    return this.#push('stream.reset', { data: { stream } });
  }

  start(): this {
    return this.block('chat.start', { text: 'hi', bundle_id: 'bar', agent_id: 'main' });
  }

  round(): this {
    this.#round += 1;
    return this.block('round.open', { round: this.#round, phase: 'decision' });
  }

  answer(text: string, stream = `turn_a.${this.#round}.answer.0`): this {
    return this.block('chat.completion', { text, raw: text, n: 1, degraded: false, stream });
  }

  end(more: JsonObject = {}): this {
    return this.block('chat.complete', {
      ...{ reason: 'completed', text: '', degraded: false, completions: 1, files: [] },
      ...{ usage, ...more },
    });
  }

  #push(type: string, body: Pick<WireEnvelope, 'data' | 'delta'>): this {
    const event = { agent: 'main', step: type, status: 'update' as const };
    const names = { conversation_id: 'conv_a', turn_id: 'turn_a' };
    const place = { v: 1 as const, cursor: String(this.sent.length), seq: this.#seq, ...names };
    const round = this.#round === 0 ? {} : { round: this.#round };
    this.sent.push({ ...place, type, ts: '2026-01-01T00:00:10.000Z', ...round, event, ...body });
    return this;
  }
}

/** A turn with thinking, a search, a program with a file, and an answer that is streamed. */
export function wholeTurn(): EnvelopeScript {
  const program = { call: 'tc_2', tool: 'exec.python', input: { name: 'sum' } };
  const envelope = {
    ...{ ok: true, user_out_tail: '42\n', runtime_err_tail: '', phases_ms: { run: 12 } },
  };
  const search = { call: 'tc_1', tool: 'web.search', input: { query: 'looms' } };
  const file = { path: 'fi:turn_a.outputs/sum.csv', filename: 'sum.csv', mime: 'text/csv' };
  return new EnvelopeScript()
    .start()
    .round()
    .delta('thinking', 'Let me ')
    .delta('thinking', 'look.')
    .block('react.thinking', { stream: 'turn_a.1.thinking.0', text: 'Let me look.' })
    .block('timeline_text', { stream: 't', text: 'I search first.' })
    .block('chat.tool', { ...search, state: 'running' })
    .block('chat.tool', {
      ...{ ...search, state: 'done' },
      result: { ok: true, ret: { results: [{ url: 'a' }, { url: 'b' }] } },
    })
    .round()
    .block('react.code', { call: 'tc_2', text: 'print(42)', stream: 'c' })
    .block('chat.tool', { ...program, state: 'running' })
    .block('chat.files', { items: [{ ...file, size: 9, visibility: 'external' }], call: 'tc_2' })
    .block('chat.tool', { ...program, state: 'done', result: { ok: true, ret: envelope } })
    .round()
    .delta('answer', 'The answer ')
    .delta('answer', 'is 42.')
    .answer('The answer is 42.')
    .end({ text: 'The answer is 42.' });
}
