import { piecesOf, type WireEvent, type WireStream } from './wire-reply.ts';

/** The stream of OpenAI's Responses API. */
export async function* toResponses(reply: WireStream): AsyncGenerator<WireEvent> {
  const { text, reasoning, calls = [], finish = 'stop', usage = { input: 1, output: 1 } } = reply;
  let sequence_number = 0;
  const typed = (type: string, rest: object = {}) => {
    sequence_number += 1;
    return { name: type, data: { type, sequence_number, ...rest } };
  };
  const response = { id: 'resp_1', object: 'response', model: 'gpt-wire', output: [] };
  yield typed('response.created', { response: { ...response, status: 'in_progress' } });
  if (reasoning) {
    const item = { id: 'rs_1', type: 'reasoning', summary: [] };
    const place = { item_id: 'rs_1', output_index: 0, summary_index: 0 };
    yield typed('response.output_item.added', { output_index: 0, item });
    yield typed('response.reasoning_summary_text.delta', { ...place, delta: reasoning });
    const whole = { ...item, summary: [{ type: 'summary_text', text: reasoning }] };
    const done = { ...whole, encrypted_content: 'sealed' };
    yield typed('response.output_item.done', { output_index: 0, item: done });
  }
  const said = { id: 'msg_1', type: 'message', role: 'assistant', content: [] };
  yield typed('response.output_item.added', { output_index: 1, item: said });
  for await (const delta of text) {
    const place = { item_id: 'msg_1', output_index: 1, content_index: 0 };
    yield typed('response.output_text.delta', { ...place, delta, logprobs: [] });
  }
  if (reply.end === 'overloaded') {
    const error = { code: 'server_error', message: 'Overloaded' };
    yield typed('response.failed', { response: { ...response, status: 'failed', error } });
  }
  if (reply.end) return;
  yield typed('response.output_item.done', { output_index: 1, item: said });
  for (const [n, { name, id = `call_${n}`, ...call }] of calls.entries()) {
    const item = { id: `fc_${n}`, type: 'function_call', call_id: id, name, arguments: '' };
    const place = { output_index: n + 2, item_id: item.id };
    yield typed('response.output_item.added', { output_index: n + 2, item });
    for (const delta of piecesOf(call)) {
      yield typed('response.function_call_arguments.delta', { ...place, delta });
    }
    const done = { ...item, arguments: JSON.stringify(call.input) };
    yield typed('response.output_item.done', { output_index: n + 2, item: done });
  }
  if (finish === 'none') return;
  const { input, output, cacheRead = 0, cacheWrite = 0 } = usage;
  const counts = {
    input_tokens: input + cacheRead + cacheWrite,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + cacheRead + cacheWrite + output,
  };
  const reason = { stop: '', length: 'max_output_tokens', refusal: 'content_filter' }[finish];
  const status = finish === 'stop' ? 'completed' : 'incomplete';
  const incomplete_details = finish === 'stop' ? null : { reason };
  yield typed(`response.${status}`, {
    response: { ...response, status, incomplete_details, usage: counts },
  });
}
