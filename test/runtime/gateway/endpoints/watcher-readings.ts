import { HttpAgent } from '@ag-ui/client';
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { z } from 'zod';
import type { ServerEvent } from './events.ts';

/** What a client of a protocol knows at the end of a turn. Undefined: its protocol cannot say it. */
export type Reading = {
  readonly answer: string;
  /** `tool result`, each. */
  readonly calls: readonly string[];
  readonly files: readonly string[] | undefined;
  /** Texts of the messages that reached the running turn. */
  readonly steers: readonly string[] | undefined;
  readonly end: string;
};

type Read = (events: readonly ServerEvent[]) => Reading | Promise<Reading>;
const Json = z.looseObject({});
const text = z.string().default('');
const parsed = <T>({ data }: ServerEvent, schema: z.ZodType<T>): T =>
  schema.parse(JSON.parse(data));

const Wire = z.looseObject({
  type: z.string(),
  cursor: z.string(),
  data: z
    .looseObject({
      ...{ text, kind: text, reason: text, tool: text, state: text },
      result: z.looseObject({ ret: z.unknown().optional() }).optional(),
      items: z.array(z.looseObject({ filename: text })).default([]),
    })
    .prefault({}),
});

/** Our own envelopes, over Socket.IO or as server-sent events. */
function wire(events: readonly ServerEvent[]): Reading {
  const all = events.map((event) => parsed(event, Wire));
  const of = (name: string) => all.flatMap(({ type, data }) => (type === name ? [data] : []));
  const [end] = of('chat.complete');
  return {
    answer: end?.text ?? '',
    calls: of('chat.tool').flatMap(({ tool, state, result }) =>
      state === 'done' ? [`${tool} ${String(result?.ret)}`] : [],
    ),
    files: of('chat.files').flatMap(({ items }) => items.map(({ filename }) => filename)),
    steers: of('event.accepted').flatMap((data) => (data.kind === 'steer' ? [data.text] : [])),
    end: end?.reason ?? 'none',
  };
}

const Step = z.looseObject({
  ...{ type: text, status: text, tool_name: text, observation: text, content: text },
  ...{ answer: text, reason: text },
});

function fim(events: readonly ServerEvent[]): Reading {
  const all = events.map((event) => ({ event: event.event, ...parsed(event, Step) }));
  const end = all.at(-1);
  return {
    answer: shownByFim(all) === end?.answer ? end.answer : 'not what was shown',
    calls: all.flatMap((each) =>
      each.type === 'iteration' && each.status === 'done'
        ? [`${each.tool_name} ${each.observation}`]
        : [],
    ),
    files: undefined,
    steers: all.flatMap(({ event, content }) => (event === 'inject' ? [content] : [])),
    end: end?.event === 'done' ? end.reason : 'none',
  };
}

/** A start begins the answer again. */
function shownByFim(all: readonly (z.infer<typeof Step> & { readonly event: string })[]): string {
  let shown = '';
  for (const { event, status, content } of all) {
    if (event === 'answer') shown = status === 'start' ? '' : shown + content;
  }
  return shown;
}

async function agUi(events: readonly ServerEvent[]): Promise<Reading> {
  const body = events.map(({ data }) => `data: ${data}\n\n`).join('');
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = async () => new Response(body, { headers });
  const agent = new HttpAgent({ url: 'http://localhost/', fetch });
  const run: { readonly result?: unknown } = await agent.runAgent();
  const { reason } = z.object({ reason: z.string() }).parse(run.result);
  const calls = agent.messages.flatMap((each) =>
    each.role === 'assistant' ? (each.toolCalls ?? []) : [],
  );
  const resultOf = (id: string) =>
    agent.messages.find((each) => each.role === 'tool' && each.toolCallId === id)?.content;
  const Activity = z.object({ activityType: z.literal('file'), content: Json });
  const Accepted = z.object({
    name: z.literal('event.accepted'),
    value: z.object({ text: z.string() }),
  });
  const all = events.map((event) => parsed(event, Json));
  const answer = agent.messages.findLast(
    (each) => each.role === 'assistant' && each.content !== undefined,
  )?.content;
  return {
    answer: String(answer),
    calls: calls.map((call) => `${call.function.name} ${String(resultOf(call.id))}`),
    files: all
      .flatMap((each) => Activity.safeParse(each).data?.content['filename'] ?? [])
      .map(String),
    steers: all.flatMap((each) => Accepted.safeParse(each).data?.value.text ?? []),
    end: reason,
  };
}

async function aiSdk(events: readonly ServerEvent[]): Promise<Reading> {
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const { data } of events) {
        if (data !== '[DONE]') controller.enqueue(JSON.parse(data) as UIMessageChunk);
      }
      controller.close();
    },
  });
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream })) last = message;
  const parts = last?.parts ?? [];
  const Steer = z.object({ type: z.literal('data-event'), data: z.object({ text: z.string() }) });
  const File = z.object({ timeloom: z.object({ filename: z.string() }) });
  return {
    answer: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).at(-1) ?? '',
    calls: parts.flatMap((part) =>
      part.type === 'dynamic-tool' ? [`${part.toolName} ${String(part.output)}`] : [],
    ),
    files: parts.flatMap((part) =>
      part.type === 'file' ? [File.parse(part.providerMetadata).timeloom.filename] : [],
    ),
    steers: parts.flatMap((part) => Steer.safeParse(part).data?.data.text ?? []),
    end: z.object({ reason: z.string() }).parse(last?.metadata).reason,
  };
}

const Chunk = z.looseObject({
  ...{ type: text, tool_name: text, phase: text },
  data: z.looseObject({ content: z.unknown().optional() }).optional(),
  file: z.looseObject({ filename: text }).optional(),
  error: z.looseObject({ code: text, answer: text }).optional(),
  choices: z.array(
    z.looseObject({
      delta: z.looseObject({ content: z.string().nullish() }),
      finish_reason: z.string().nullable(),
    }),
  ),
});

function openAi(events: readonly ServerEvent[]): Reading {
  const all = events.filter(({ data }) => data !== '[DONE]').map((event) => parsed(event, Chunk));
  const choices = all.flatMap((chunk) => chunk.choices);
  const replaced = all.find(({ error }) => error?.code === 'answer_replaced')?.error;
  const stop = choices.find((choice) => choice.finish_reason === 'stop');
  return {
    answer: replaced?.answer ?? choices.map(({ delta }) => delta.content ?? '').join(''),
    calls: all.flatMap(({ type, phase, tool_name, data }) =>
      type === 'agentic_tool_call_progress' && phase === 'complete'
        ? [`${tool_name} ${String(data?.content)}`]
        : [],
    ),
    files: all.flatMap(({ file }) => (file ? [file.filename] : [])),
    steers: undefined,
    end: events.at(-1)?.data === '[DONE]' && (stop ?? replaced) ? 'completed' : 'none',
  };
}

const Values = z.looseObject({
  messages: z.array(
    z.looseObject({
      ...{ id: text, type: text, content: text, tool_call_id: text },
      tool_calls: z.array(z.looseObject({ id: text, name: text })).default([]),
    }),
  ),
  files: z.array(z.looseObject({ filename: text })).default([]),
});

function langgraph(events: readonly ServerEvent[]): Reading {
  const values = events.findLast(({ event }) => event === 'values');
  const { messages, files } = values ? parsed(values, Values) : { messages: [], files: [] };
  const resultOf = (id: string) =>
    messages.find((each) => id !== '' && each.tool_call_id === id)?.content;
  const end = events.at(-1);
  const status = end?.event === 'end' ? parsed(end, z.looseObject({ status: text })).status : '';
  return {
    answer: messages.findLast(({ type }) => type === 'ai')?.content ?? '',
    calls: messages
      .flatMap((each) => each.tool_calls)
      .map(({ id, name }) => `${name} ${String(resultOf(id))}`),
    files: files.map(({ filename }) => filename),
    steers: messages
      .filter(({ type }) => type === 'human')
      .slice(1)
      .map(({ content }) => content),
    end: status === 'success' ? 'completed' : status,
  };
}

export const readings = {
  socket: wire,
  sse: wire,
  ai: aiSdk,
  'ag-ui': agUi,
  openai: openAi,
  fim,
  langgraph,
} satisfies Readonly<Record<string, Read>>;

export type WatcherName = keyof typeof readings;
export const watcherNames = [
  ...(['socket', 'sse', 'ai', 'ag-ui', 'openai', 'fim', 'langgraph'] as const),
];

/** The reading that a client of the protocol has of a turn of which everything is known. */
export function asSaidBy(name: WatcherName, { files, steers, ...reading }: Reading): Reading {
  return {
    ...reading,
    files: name === 'fim' ? undefined : files,
    steers: name === 'openai' ? undefined : steers,
  };
}
