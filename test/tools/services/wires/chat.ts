import { piecesOf, type WireEvent, type WireStream } from './wire-reply.ts';

/** The stream of OpenAI's chat completions: usage comes in an event of its own. */
export function toCompletions(reply: WireStream): AsyncGenerator<WireEvent> {
  return toChat(reply, 'own');
}

/** Mistral sends the usage with the finish reason. */
export function toMistral(reply: WireStream): AsyncGenerator<WireEvent> {
  return toChat(reply, 'finish');
}

async function* toChat(reply: WireStream, usageIn: 'own' | 'finish'): AsyncGenerator<WireEvent> {
  const { text, reasoning, calls = [], finish = 'stop', usage = { input: 1, output: 1 } } = reply;
  const chunk = (choices: object[], rest: object = {}) => ({
    data: { id: 'c1', object: 'chat.completion.chunk', model: 'gpt-wire', choices, ...rest },
  });
  const delta = (piece: object, finish_reason: string | null = null) =>
    chunk([{ index: 0, delta: piece, finish_reason }]);
  yield delta({ role: 'assistant', content: '' });
  if (reasoning) yield delta({ reasoning_content: reasoning });
  for await (const piece of text) yield delta({ content: piece });
  if (reply.end === 'overloaded') {
    yield { data: { error: { type: 'server_error', message: 'Overloaded' } } };
  }
  if (reply.end) return;
  for (const [index, { name, id = `call_${index}`, ...call }] of calls.entries()) {
    const opened = { index, id, type: 'function', function: { name, arguments: '' } };
    yield delta({ tool_calls: [opened] });
    for (const text of piecesOf(call)) {
      yield delta({ tool_calls: [{ index, function: { arguments: text } }] });
    }
  }
  if (finish === 'none') return;
  const { input, output, cacheRead = 0, cacheWrite = 0 } = usage;
  const counts = {
    prompt_tokens: input + cacheRead + cacheWrite,
    completion_tokens: output,
    total_tokens: input + cacheRead + cacheWrite + output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
  };
  const stopped = calls.length > 0 ? 'tool_calls' : 'stop';
  const reason = { stop: stopped, length: 'length', refusal: 'content_filter' }[finish];
  const ending = [{ index: 0, delta: {}, finish_reason: reason }];
  if (usageIn === 'finish') yield chunk(ending, { usage: counts });
  else {
    yield chunk(ending);
    yield chunk([], { usage: counts });
  }
  yield { data: '[DONE]' };
}
