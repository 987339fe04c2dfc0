import { piecesOf, type WireEvent, type WireStream } from './wire-reply.ts';

/** The stream of Anthropic's Messages API. */
export async function* toMessages(reply: WireStream): AsyncGenerator<WireEvent> {
  const { text, reasoning, calls = [], finish = 'stop', usage = { input: 1, output: 1 } } = reply;
  const input = {
    input_tokens: usage.input,
    cache_read_input_tokens: usage.cacheRead ?? 0,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
  };
  const typed = (type: string, rest: object = {}) => ({ name: type, data: { type, ...rest } });
  const delta = (piece: object) => typed('content_block_delta', { index: 0, delta: piece });
  const message = { id: 'msg_1', role: 'assistant', model: 'claude-wire', content: [] };
  yield typed('message_start', { message: { ...message, usage: { ...input, output_tokens: 1 } } });
  yield typed('ping');
  yield typed('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  if (reasoning) yield delta({ type: 'thinking_delta', thinking: reasoning });
  for await (const piece of text) yield delta({ type: 'text_delta', text: piece });
  if (reply.end === 'overloaded') {
    yield typed('error', { error: { type: 'overloaded_error', message: 'Overloaded' } });
  }
  if (reply.end) return;
  yield typed('content_block_stop', { index: 0 });
  for (const [n, { name, id = `toolu_${n}`, ...call }] of calls.entries()) {
    const block = { type: 'tool_use', id, name, input: {} };
    yield typed('content_block_start', { index: n + 1, content_block: block });
    for (const partial_json of piecesOf(call)) {
      const delta = { type: 'input_json_delta', partial_json };
      yield typed('content_block_delta', { index: n + 1, delta });
    }
    yield typed('content_block_stop', { index: n + 1 });
  }
  if (finish === 'none') return;
  const stopped = calls.length > 0 ? 'tool_use' : 'end_turn';
  const stop_reason = { stop: stopped, length: 'max_tokens', refusal: 'refusal' }[finish];
  yield typed('message_delta', {
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: usage.output },
  });
  yield typed('message_stop');
}
