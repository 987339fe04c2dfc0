import { createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';

/**
 * An instant model that speaks Chat Completions, in a process of its own, so that its work is counted for nobody. The first
 * segment of the path says how it writes its replies. A request without the sum is answered with a call of `math_add`,
 * one with the sum with an answer. Prints its port as its first line.
 */
const sum = 'the sum is 5';
const input = { a: 2, b: 3 };
const call = { action: 'call_tool', tool_call: { tool_id: 'math.add', params: input } };
const complete = { action: 'complete', final_answer: 'It is 5.' };

const server = createServer((request, response) => {
  void readText(request).then((body) => {
    const [, protocol] = request.url.split('/');
    const deltas = body.includes(sum) ? answer(protocol) : firstReply(protocol);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const base = { id: 'reply', object: 'chat.completion.chunk', created: 1, model: 'instant' };
    for (const delta of deltas)
      send(response, { ...base, choices: [{ index: 0, delta, finish_reason: null }] });
    const finish_reason = deltas.some((delta) => delta.tool_calls) ? 'tool_calls' : 'stop';
    send(response, { ...base, choices: [{ index: 0, delta: {}, finish_reason }] });
    send(response, {
      ...base,
      choices: [],
      usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
    });
    response.end('data: [DONE]\n\n');
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));

function send(response, chunk) {
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

function firstReply(protocol) {
  if (protocol !== 'native') return toText(written(protocol, call));
  const started = { id: 'call_1', type: 'function', function: { name: nameOf(), arguments: '' } };
  const pieces = [
    started,
    { function: { arguments: '{"a":2,' } },
    { function: { arguments: '"b":3}' } },
  ];
  return pieces.map((piece) => ({ role: 'assistant', tool_calls: [{ index: 0, ...piece }] }));
}

function answer(protocol) {
  return protocol === 'native' ? toText('It is 5.') : toText(written(protocol, complete));
}

function written(protocol, decision) {
  const json = JSON.stringify(decision);
  return protocol === 'channels'
    ? `<channel:ReactDecisionOutV2>${json}</channel:ReactDecisionOutV2>`
    : json;
}

/** In pieces of four characters, about a token each. */
function toText(content) {
  return content.match(/[\s\S]{1,4}/g).map((piece) => ({ role: 'assistant', content: piece }));
}

function nameOf() {
  return 'math__add';
}
