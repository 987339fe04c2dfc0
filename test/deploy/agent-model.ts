import type { RequestListener, ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { z } from 'zod';

const Request = z.looseObject({
  model: z.string().default('claude'),
  stream: z.boolean().default(false),
  messages: z.array(z.looseObject({ role: z.string(), content: z.json() })).default([]),
  tools: z.array(z.looseObject({ name: z.string().default('') })).default([]),
});
type Content =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: object;
    };

/** One request to the model: the keys that came with it, and everything it says. */
export type ModelRequest = { readonly key: string | undefined; readonly text: string };

export type ModelStep =
  | { readonly kind: 'write'; readonly name: string }
  | { readonly kind: 'wait' }
  | { readonly kind: 'say'; readonly text: string };

/**
 * What a played model does, by the last prompt: for `write NAME` it writes a file, for `wait` it runs a command that takes long, and
 * it answers everything else with text. `result` is how a result is called in the messages. `waitsAgain`: the program does not wait
 * for a long command, so it is run again.
 */
export function stepFor(
  messages: unknown,
  result: string,
  { waitsAgain = false }: { readonly waitsAgain?: boolean } = {},
): ModelStep {
  const all = JSON.stringify(messages);
  const prompt = [...all.matchAll(/write ([a-z]+\.md)|please wait|What have you read/g)].at(-1);
  if (!prompt) return { kind: 'say', text: 'Done.' };
  const [said, name] = prompt;
  if (said === 'What have you read') return { kind: 'say', text: 'I have read it.' };
  const isDone = all.lastIndexOf(result) > prompt.index;
  if (isDone && !(name === undefined && waitsAgain)) return { kind: 'say', text: 'Done.' };
  return name === undefined ? { kind: 'wait' } : { kind: 'write', name };
}

/** Plays the model in the Anthropic wire format. `requests` collects what it was sent. */
export function playAnthropic(requests: ModelRequest[]): RequestListener {
  return (asked, answer) => {
    void textOf(asked).then((body) => {
      const parsed = Request.safeParse(JSON.parse(body === '' ? '{}' : body));
      const key = asked.headers['x-api-key'];
      requests.push({ key: Array.isArray(key) ? key[0] : key, text: body });
      if (!parsed.success || !asked.url?.startsWith('/v1/messages?')) {
        answer.setHeader('content-type', 'application/json');
        answer.end('{"input_tokens":10}');
        return;
      }
      send(answer, parsed.data, contentFor(parsed.data));
    });
  };
}

let calls = 0;

function contentFor({ messages, tools }: z.infer<typeof Request>): readonly Content[] {
  const isLoop = tools.some(({ name }) => name === 'Write');
  const step = isLoop ? stepFor(messages, 'tool_result') : { kind: 'say' as const, text: 'Done.' };
  if (step.kind === 'say') return [{ type: 'text', text: step.text }];
  calls += 1;
  const id = `toolu_${calls}`;
  if (step.kind === 'write') {
    const input = { file_path: `/workspace/${step.name}`, content: `${step.name}\n` };
    return [{ type: 'tool_use', id, name: 'Write', input }];
  }
  const input = { command: 'sleep 600', description: 'Waits', timeout: 600_000 };
  return [{ type: 'tool_use', id, name: 'Bash', input }];
}

function send(
  answer: ServerResponse,
  { model, stream }: z.infer<typeof Request>,
  content: readonly Content[],
): void {
  const stop_reason = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  const usage = { input_tokens: 10, output_tokens: 5 };
  const whole = {
    id: `msg_${calls}`,
    type: 'message',
    role: 'assistant',
    model,
    stop_sequence: null,
  };
  if (!stream) {
    answer.setHeader('content-type', 'application/json');
    answer.end(JSON.stringify({ ...whole, content, stop_reason, usage }));
    return;
  }
  answer.setHeader('content-type', 'text/event-stream');
  const event = (type: string, data: object) =>
    answer.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  event('message_start', { message: { ...whole, content: [], stop_reason: null, usage } });
  for (const [index, part] of content.entries()) {
    const { begin, delta } = partsOf(part);
    event('content_block_start', { index, content_block: begin });
    event('content_block_delta', { index, delta });
    event('content_block_stop', { index });
  }
  event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage });
  event('message_stop', {});
  answer.end();
}

function partsOf(part: Content) {
  if (part.type === 'text') {
    const delta = { type: 'text_delta', text: part.text };
    return { begin: { type: 'text', text: '' }, delta };
  }
  const { id, name, input } = part;
  const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
  return { begin: { type: 'tool_use', id, name, input: {} }, delta };
}
