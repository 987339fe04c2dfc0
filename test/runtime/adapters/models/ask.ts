import type { Model, ModelEvent, ModelRequest } from '../../../../runtime/engine/ports/model.ts';

export function request(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  const parts = text.split('|').map((part) => ({ kind: 'text' as const, text: part }));
  return {
    role: 'decision',
    system: 'You act.',
    parts,
    maxOutputTokens: 1000,
    temperature: 0,
    ...more,
  };
}

export type Asking = { readonly events: ModelEvent[]; readonly ended: Promise<void> };

/** Reads a stream in the background, so that a test can look at it while it goes on. */
export function ask(
  model: Model,
  what: ModelRequest | string,
  signal = new AbortController().signal,
): Asking {
  const events: ModelEvent[] = [];
  const asked = typeof what === 'string' ? request(what) : what;
  const ended = (async () => {
    for await (const event of model.stream(asked, { signal })) events.push(event);
  })();
  return { events, ended };
}

export function textOf(events: readonly ModelEvent[]): string {
  return events.flatMap((event) => (event.kind === 'text' ? [event.text] : [])).join('');
}

export async function answerOf(model: Model, what: ModelRequest | string) {
  const { events, ended } = ask(model, what);
  await ended;
  const done = events.at(-1);
  if (done?.kind !== 'done') throw new Error('the stream did not end with done');
  const texts = events.flatMap((event) => (event.kind === 'text' ? [event.text] : []));
  return { text: textOf(events), texts, ...done };
}

/** Names and inputs of the calls that have ended. */
export function callsOf(events: readonly ModelEvent[]): readonly (readonly [string, unknown])[] {
  const names = new Map<string, string>();
  const inputs = new Map<string, string>();
  const ended: [string, unknown][] = [];
  for (const event of events) {
    if (event.kind === 'call') names.set(event.call, event.name);
    if (event.kind === 'arguments')
      inputs.set(event.call, (inputs.get(event.call) ?? '') + event.text);
    if (event.kind === 'call_end')
      ended.push([names.get(event.call) ?? '', JSON.parse(inputs.get(event.call) || '{}')]);
  }
  return ended;
}
