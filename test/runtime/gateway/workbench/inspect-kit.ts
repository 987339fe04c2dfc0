import { z } from 'zod';
import { defineAgent, defineBundle, defineTool } from '../../../../runtime/sdk/index.ts';
import { openRuntime, type TestRuntime } from '../../../../runtime/testing/index.ts';

const look = defineTool({
  id: 'desk.look',
  description: 'Looks something up.',
  input: z.object({ what: z.string() }),
  effects: 'none',
  run: ({ what }) => ({ found: `The ${what} opened in 1874.` }),
});

export const desk = defineBundle({
  id: 'desk',
  version: '1',
  agents: [defineAgent({ id: 'main', instruction: 'Answer from what you find.', tools: [look] })],
});

export const script = [
  {
    thinking: 'I look for the bridge.',
    call: { tool: 'desk.look', input: { what: 'bridge' }, notes: 'Looking.' },
  },
  { answer: 'The bridge opened in 1874.', followups: ['And the tunnel?'] },
  { answer: 'The tunnel is older.' },
] as const;

export type Inspected = AsyncDisposable & {
  readonly runtime: TestRuntime;
  readonly conversation: string;
  /** The JSON of an answer below the conversation, or below the project with a path that begins with `/`. */
  get(path: string, init?: RequestInit): Promise<{ status: number; body: Body }>;
};
export type Body = z.infer<typeof Answer>;
const Answer = z.looseObject({ ok: z.boolean().optional() });

/** A conversation of two turns and three rounds, as its engine wrote it. */
export async function openInspected(): Promise<Inspected> {
  const runtime = await openRuntime({ bundle: desk, model: script });
  const conversation = runtime.connect().conversation();
  await (await conversation.send('When did the bridge open?')).done();
  await (await conversation.send('And the tunnel?')).done();
  const get: Inspected['get'] = async (path, init = {}) => {
    const place = path.startsWith('/') ? path : `/${conversation.id}/${path}`;
    const headers = { 'x-timeloom-user': 'test', 'content-type': 'application/json' };
    const response = await fetch(new URL(`/inspect/dev/dev${place}`, runtime.url), {
      headers,
      ...init,
    });
    return { status: response.status, body: Answer.parse(await response.json()) };
  };
  const close = () => runtime[Symbol.asyncDispose]();
  return { runtime, conversation: conversation.id, get, [Symbol.asyncDispose]: close };
}
