import type { RequestListener } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { z } from 'zod';
import { type ModelRequest, stepFor } from './agent-model.ts';

const Request = z.looseObject({ input: z.array(z.json()) });
const usage = {
  ...{ input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
};
let count = 0;

/** Plays the model of Codex in the wire format of Responses: it writes files with commands. */
export function playResponses(requests: ModelRequest[]): RequestListener {
  return (asked, answer) => {
    void textOf(asked).then((body) => {
      requests.push({
        key: asked.headers.authorization?.replace(/^Bearer /, ''),
        text: body,
      });
      const parsed = Request.safeParse(JSON.parse(body === '' ? '{}' : body));
      if (!parsed.success || !asked.url?.endsWith('/responses')) {
        answer.setHeader('content-type', 'application/json');
        answer.end('{"data":[]}');
        return;
      }
      count += 1;
      const id = `resp_${count}`;
      const item = itemFor(parsed.data.input);
      answer.setHeader('content-type', 'text/event-stream');
      const event = (type: string, data: object) =>
        answer.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
      event('response.created', { response: { id } });
      event('response.output_item.added', { output_index: 0, item });
      event('response.output_item.done', { output_index: 0, item });
      event('response.completed', { response: { id, usage } });
      answer.end();
    });
  };
}

function itemFor(input: readonly unknown[]): object {
  const step = stepFor(input, 'function_call_output', { waitsAgain: true });
  if (step.kind === 'say') {
    const content = [{ type: 'output_text', text: step.text }];
    return { type: 'message', role: 'assistant', id: `msg_${count}`, content };
  }
  const { cmd, justification } =
    step.kind === 'wait'
      ? { cmd: 'sleep 600', justification: 'Wait' }
      : { cmd: `echo ${step.name} > ${step.name}`, justification: `Write ${step.name}` };
  const escalated = { sandbox_permissions: 'require_escalated', justification };
  const call = { cmd, ...escalated, yield_time_ms: 30_000 };
  return {
    ...{ type: 'function_call', id: `fc_${count}`, call_id: `call_${count}` },
    ...{ name: 'exec_command', arguments: JSON.stringify(call) },
  };
}
