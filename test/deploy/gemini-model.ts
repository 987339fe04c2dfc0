import type { RequestListener } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { z } from 'zod';
import { type ModelRequest, type ModelStep, stepFor } from './agent-model.ts';

const Tool = z.looseObject({
  functionDeclarations: z.array(z.looseObject({ name: z.string() })).default([]),
});
const Request = z.looseObject({
  contents: z.array(z.json()),
  tools: z.array(Tool).default([]),
});

/** Plays the model of Gemini CLI in the wire format of Google. */
export function playGemini(requests: ModelRequest[]): RequestListener {
  return (asked, answer) => {
    void textOf(asked).then((body) => {
      const key = asked.headers['x-goog-api-key'];
      requests.push({ key: Array.isArray(key) ? key[0] : key, text: body });
      const whole = JSON.stringify(responseTo(body === '' ? '{}' : body));
      const isStream = asked.url?.includes('streamGenerateContent') === true;
      answer.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
      answer.end(isStream ? `data: ${whole}\n\n` : whole);
    });
  };
}

function responseTo(body: string): object {
  const parsed = Request.safeParse(JSON.parse(body));
  const parts = parsed.success ? partsFor(parsed.data) : [{ text: '' }];
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    totalTokens: 10,
  };
}

function partsFor({ contents, tools }: z.infer<typeof Request>): readonly object[] {
  const names = tools.flatMap((tool) => tool.functionDeclarations.map(({ name }) => name));
  // Another question, for example which model to use.
  if (!names.includes('write_file')) return [{ text: '{}' }];
  return [partFor(stepFor(contents, 'functionResponse'))];
}

function partFor(step: ModelStep): object {
  if (step.kind === 'say') return { text: step.text };
  if (step.kind === 'wait') {
    const args = { command: 'sleep 600', description: 'Waits' };
    return { functionCall: { name: 'run_shell_command', args } };
  }
  const args = { file_path: `/workspace/${step.name}`, content: `${step.name}\n` };
  return { functionCall: { name: 'write_file', args } };
}
