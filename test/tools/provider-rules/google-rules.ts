import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { z } from 'zod';
import { toCallOptions } from '../../../runtime/adapters/models/providers/ai-sdk/ai-sdk-request.ts';
import type { ModelRequest } from '../../../runtime/engine/ports/model.ts';

const Part = z.object({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  functionCall: z.object({ name: z.string(), args: z.record(z.string(), z.json()) }).optional(),
  functionResponse: z
    .object({ name: z.string(), response: z.record(z.string(), z.json()) })
    .optional(),
});
const Contents = z.array(
  z.object({ role: z.enum(['user', 'model']), parts: z.array(Part).min(1) }),
);
export type GoogleContents = z.infer<typeof Contents>;

/**
 * What the Gemini API rejects in a request, by its pages on function calling: a turn with calls comes directly after the
 * user or after results, and is followed at once by as many results, under the same names. Empty: nothing.
 */
export function faultsInGoogle(contents: GoogleContents): readonly string[] {
  return [
    ...(contents[0]?.role === 'user' ? [] : ['the first content is not of the user']),
    ...(contents.at(-1)?.role === 'user' ? [] : ['the last content is not of the user']),
    ...contents.flatMap(({ role, parts }, index) => {
      const calls = parts.flatMap(({ functionCall: call }) => (call ? [call.name] : []));
      const next = contents[index + 1]?.parts ?? [];
      const results = next.flatMap(({ functionResponse: each }) => (each ? [each.name] : []));
      return [
        ...(role === 'model' && contents[index - 1]?.role === 'model' ? ['model again'] : []),
        ...(role === 'user' && calls.length > 0 ? ['a call of the user'] : []),
        ...(calls.join() === results.join()
          ? []
          : [`calls ${calls.join(' ')}, but results ${results.join(' ')}`]),
        ...(parts.every(({ text = 'x' }) => text.trim() !== '') ? [] : ['a blank text']),
      ].map((fault) => `content ${index}: ${fault}`);
    }),
  ];
}

const sent: string[] = [];
const google = createGoogleGenerativeAI({
  apiKey: 'key',
  fetch: async (_, init) => {
    sent.push(String(init?.body));
    return new Response('', { headers: { 'content-type': 'text/event-stream' } });
  },
}).languageModel('gemini-3-flash');

/** What the package of Google sends for this request. */
export async function googleContents(request: ModelRequest): Promise<GoogleContents> {
  await google.doStream(toCallOptions(request, { provider: 'google' }));
  const Body = z.object({ contents: Contents });
  return Body.parse(JSON.parse(sent.pop() ?? '')).contents;
}
