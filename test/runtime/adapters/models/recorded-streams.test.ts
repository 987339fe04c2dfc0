import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openAiSdkModel } from '../../../../runtime/adapters/models/providers/ai-sdk/open-ai-sdk.ts';
import { createAnthropicModel } from '../../../../runtime/adapters/models/providers/anthropic/anthropic.ts';
import { createOpenaiModel } from '../../../../runtime/adapters/models/providers/openai/openai.ts';
import { createResponsesModel } from '../../../../runtime/adapters/models/providers/openai/responses.ts';
import { isFault } from '../../../../runtime/base/fault.ts';
import type { Model, ModelEvent } from '../../../../runtime/engine/ports/model.ts';
import { root } from '../../../architecture/tree.ts';
import { type ModelWire, openModelWire } from '../../../tools/services/model-wire.ts';
import { ask, request } from './ask.ts';

const folder = join(root, 'test/golden/model-streams');
const expected = join(root, 'test/golden/model-events');
const names = ['web__search', 'math__add', 'clock__now', 'clock__zone', 'files__write'];
const tools = names.map((name) => ({ name, description: name, schema: { type: 'object' } }));

const chat = ({ openaiUrl: baseUrl }: ModelWire) =>
  createOpenaiModel({ model: 'qwen3', flavour: 'openai-compatible', baseUrl, retriesMax: 0 });
const openers: Record<string, (wire: ModelWire) => Model | Promise<Model>> = {
  anthropic: ({ anthropicUrl: baseUrl }) =>
    createAnthropicModel({ model: 'claude-opus-5-5', apiKey: 'key', baseUrl, retriesMax: 0 }),
  chat,
  compatible: chat,
  responses: ({ openaiUrl: baseUrl }) =>
    createResponsesModel({
      ...{ model: 'gpt-5', flavour: 'openai', apiKey: 'key' },
      ...{ baseUrl, retriesMax: 0 },
    }),
  gemini: ({ googleUrl: baseUrl }) =>
    openAiSdkModel({
      ...{ provider: 'google', model: 'gemini-3-flash', apiKey: 'key' },
      ...{ baseUrl, retriesMax: 0 },
    }),
};

/** The events of one recorded stream, then the fault if it ends in one. `packetBytes`: how its bytes are torn. */
async function played(wireName: string, file: string, packetBytes = Infinity): Promise<string> {
  const recorded = readFileSync(join(folder, wireName, file), 'utf8');
  const cut = file.includes('.cut.');
  await using wire = await openModelWire(() => ({ recorded, cut, packetBytes }));
  const model = await openers[wireName]?.(wire);
  if (!model) throw new Error(`no adapter for ${wireName}`);
  const { events, ended } = ask(model, request('hi', { offer: { tools, choice: 'auto' } }));
  const end: unknown = await ended.catch((error: unknown) => error);
  if (end !== undefined && !isFault(end)) throw new Error('not a fault', { cause: end });
  return [...joined(events).map(toLine), ...(end === undefined ? [] : [`fault ${end.code}`])].join(
    '\n',
  );
}

/** Neighbours of a kind, joined: where a stream was cut makes no difference. */
function joined(events: readonly ModelEvent[]): readonly ModelEvent[] {
  const found: ModelEvent[] = [];
  for (const event of events) {
    const last = found.at(-1);
    if (last && 'text' in last && 'text' in event && isSame(last, event))
      found[found.length - 1] = { ...event, text: last.text + event.text };
    else found.push(event);
  }
  return found;
}

function isSame(one: ModelEvent, two: ModelEvent): boolean {
  const callOf = (event: ModelEvent) => ('call' in event ? event.call : '');
  return one.kind === two.kind && callOf(one) === callOf(two);
}

/** The ids that the package of Google makes up are random. */
function toLine({ kind, ...rest }: ModelEvent): string {
  return `${kind} ${JSON.stringify(rest)}`.replaceAll(/"call":"[A-Za-z0-9]{16}"/g, '"call":"…"');
}

// proves: models.recorded-streams
describe.each(Object.keys(openers))('streams in the form of %s', (wireName) => {
  const files = readdirSync(join(folder, wireName)).filter((file) => file.endsWith('.sse'));

  test.each(files)('%s', async (file) => {
    const golden = join(expected, wireName, file.replace('.sse', '.txt'));
    await expect(`${await played(wireName, file)}\n`).toMatchFileSnapshot(golden);
  });

  test.each(files)('%s is the same in torn packets', async (file) => {
    expect(await played(wireName, file, 11)).toBe(await played(wireName, file));
  });
});
