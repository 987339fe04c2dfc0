import { HttpAgent } from '@ag-ui/client';

export const openAgent = (server: string, threadId: string): HttpAgent =>
  new HttpAgent({ url: `${server}/api/ag-ui/dev/dev/desk/main`, threadId, fetch: resumingFetch });

/** Goes on where a lost connection stopped: the same request, with the id of the last event. */
async function resumingFetch(url: string, request: RequestInit): Promise<Response> {
  const first = await fetch(url, request);
  const { readable, writable } = new TransformStream<string, string>();
  if (first.ok) void copy(first, { url, request, to: writable.getWriter() });
  return first.ok ? new Response(readable.pipeThrough(new TextEncoderStream()), first) : first;
}

type Run = { url: string; request: RequestInit; to: WritableStreamDefaultWriter<string> };

async function copy(first: Response, { url, request, to }: Run): Promise<void> {
  let [response, last]: [Response | undefined, string] = [first, ''];
  for (let lost = 0; lost < 10; lost += 1) {
    for await (const event of eventsOf(response)) {
      await to.write(`${event}\n\n`);
      if (/"type":"RUN_(?:FINISHED|ERROR)"/.test(event)) return to.close();
      [last, lost] = [/^id: (.*)$/m.exec(event)?.[1] ?? last, 0];
    }
    if (request.signal?.aborted === true) break;
    await new Promise((resolve) => setTimeout(resolve, 200 * lost));
    const headers = new Headers(request.headers);
    if (last !== '') headers.set('Last-Event-ID', last);
    response = await fetch(url, { ...request, headers }).catch(() => undefined);
  }
  await to.abort(new Error('the connection was lost'));
}

/** The whole events of a response, until it ends or its connection is lost. */
async function* eventsOf(response: Response | undefined): AsyncGenerator<string> {
  const reader = response?.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; ; ) {
    const piece = await reader?.read().catch(() => undefined);
    if (piece?.value === undefined) return;
    const events = (text + piece.value).split('\n\n');
    text = events.pop() ?? '';
    yield* events;
  }
}
