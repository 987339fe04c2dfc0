// proves: client.typed

import { type Client, connect, type Json } from 'timeloom/client';
import {
  defineAgent,
  defineBundle,
  defineOperation,
  defineTool,
  external,
  refuse,
} from 'timeloom/sdk';
import { openRuntime } from 'timeloom/testing';
import { z } from 'zod';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const yes = <T extends true>(): T => true as T;

const near = defineOperation({
  id: 'near',
  input: z.object({ city: z.string(), most: z.int().default(3) }),
  run: ({ city, most }) => (most > 9 ? refuse('many', 'At most 9.') : { city, names: ['a'] }),
});
const raw = defineOperation({ id: 'raw', input: z.object({}), run: () => new Response('a') });
const locate = defineTool({
  id: 'browser.locate',
  description: 'Where the user is.',
  input: z.object({ exact: z.boolean().default(false) }),
  output: z.object({ lat: z.number(), lon: z.number() }),
  run: external(),
});
const pick = defineTool({
  id: 'browser.pick',
  description: 'Lets the user choose.',
  input: z.object({ names: z.array(z.string()) }),
  output: z.string(),
  run: external(),
});
const main = defineAgent({
  id: 'main',
  instruction: 'x',
  tools: [locate, 'web_tools.*'],
  groups: { browser: { description: 'The browser.', tools: [pick] } },
});
const bundle = defineBundle({ id: 'acme', version: '1', agents: [main], operations: [near, raw] });

export async function typed(): Promise<void> {
  await using client = connect<typeof bundle>({
    tools: {
      'browser.locate': ({ exact }) => {
        yes<Equal<typeof exact, boolean>>();
        return { lat: 52.5, lon: 13.4 };
      },
      'browser.pick': async ({ names }, { signal }) => (signal.aborted ? '' : (names[0] ?? '')),
    },
  });
  const found = await client.operation('acme', 'near', { city: 'Bern' });
  yes<Equal<typeof found, { city: string; names: string[] }>>();
  const text = await client.operation('acme', 'raw', {});
  yes<Equal<typeof text, Json>>();
  // @ts-expect-error the bundle has no such operation
  await client.operation('acme', 'far', {});
  // @ts-expect-error the input lacks a city
  await client.operation('acme', 'near', { most: 2 });
  // @ts-expect-error the bundle has no such tool
  connect<typeof bundle>({ tools: { 'browser.scroll': () => null } });
  // @ts-expect-error the tool returns a place
  connect<typeof bundle>({ tools: { 'browser.locate': () => 'Bern' } });
}

export async function untyped(client: Client): Promise<Json> {
  connect({ tools: { 'browser.locate': (input) => input, 'a.b': ({ n }: { n: number }) => n } });
  return client.operation('acme', 'near', { city: 'Bern' });
}

export async function tested(): Promise<void> {
  await using runtime = await openRuntime({ bundle, model: [] });
  const client = runtime.connect({ tools: { 'browser.pick': ({ names }) => names[0] ?? '' } });
  const found = await client.operation('acme', 'near', { city: 'Bern' });
  yes<Equal<typeof found, { city: string; names: string[] }>>();
  // @ts-expect-error the bundle has no such operation
  await client.operation('acme', 'far', {});
}
