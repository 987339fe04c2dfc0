/** One event of a stream, whose data is JSON. */
export type StreamEvent = { readonly event: string; readonly data: Record<string, unknown> };

/** The events of a conversation in the words of a protocol, over as many connections as it takes. Stop reading at the end of the turn. */
export async function* watch(address: string, as: string): AsyncGenerator<StreamEvent> {
  for (let last = ''; ; ) {
    const headers: HeadersInit = last === '' ? {} : { 'Last-Event-ID': last };
    for await (const text of textsOf(await fetch(`${address}?as=${as}`, { headers }))) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1];
      last = field('id') ?? last;
      const data = field('data');
      if (data === undefined) continue;
      yield { event: field('event') ?? 'message', data: JSON.parse(data) as StreamEvent['data'] };
    }
  }
}

/** The whole events of a response, until it ends or its connection is lost. */
async function* textsOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let text = ''; ; ) {
      const piece = await reader?.read().catch(() => undefined);
      if (piece?.value === undefined) return;
      const events = (text + piece.value).split('\n\n');
      text = events.pop() ?? '';
      yield* events;
    }
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}
