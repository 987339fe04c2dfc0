import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  defineAgent,
  defineBundle,
  defineEvent,
  defineHook,
  defineJob,
  defineOperation,
  defineResource,
  defineSecret,
  defineTool,
  defineWidget,
} from '../../../../runtime/sdk/index.ts';
import { compile } from '../kit.ts';

type Fields = Readonly<Record<string, unknown>>;

const tool = { id: 'own.tool', description: 'x', input: z.object({}), run: () => 1 };
const agent = { id: 'main', instruction: 'Help.' };
const bundle = { id: 'acme', version: '1', agents: [defineAgent(agent)] };
const withTool = (own: never) => ({
  ...bundle,
  agents: [defineAgent({ ...agent, tools: [defineTool(own)] })],
});

/** Each definition with all that it needs, where it stands in a bundle, and what its problem is called. */
const definitions: readonly (readonly [string, Fields, (own: never) => Fields])[] = [
  ['tool', tool, withTool],
  ['agent', agent, (own) => ({ ...bundle, agents: [defineAgent(own)] })],
  ['bundle', bundle, (own) => own],
  [
    'operation',
    { id: 'near', input: z.object({}), run: () => 1 },
    (own) => ({ ...bundle, operations: [defineOperation(own)] }),
  ],
  ['job', { id: 'mail', run: () => undefined }, (own) => ({ ...bundle, jobs: [defineJob(own)] })],
  [
    'event',
    { kind: 'alert', payload: z.object({}), text: () => '' },
    (own) => ({ ...bundle, events: [defineEvent(own)] }),
  ],
  [
    'widget',
    { id: 'board', title: 'Board', ui: './ui' },
    (own) => ({ ...bundle, widgets: [defineWidget(own)] }),
  ],
  [
    'secret',
    { id: 'key', description: 'x' },
    (own) => ({ ...bundle, secrets: [defineSecret(own)] }),
  ],
  ['hook', { id: 'own' }, (own) => ({ ...bundle, hooks: [defineHook(own)] })],
  [
    'resource',
    { id: 'db', open: () => 1 },
    (own) => ({ ...bundle, resources: [defineResource(own)] }),
  ],
];
const cases = definitions.flatMap(([kind, fields, place]) =>
  Object.keys(fields)
    .filter((key) => key !== 'agents')
    .map((key) => {
      const { [key]: _, ...rest } = fields;
      return [kind, key, place(rest as never)] as const;
    }),
);

// proves: sdk.bundle
test.each(cases)('a %s without its %s is named', async (kind, key, incomplete) => {
  const load = async () => compile(defineBundle(incomplete as never));
  await expect(load()).rejects.toThrow(new RegExp(`BUNDLE_INVALID.*${kind} .* needs ${key}: a`));
});

// proves: sdk.known-words
test('a key that is misspelt is named beside the one that is missing', async () => {
  const { description, ...rest } = tool;
  const misspelt = { ...rest, descripton: description };
  await expect(compile(defineBundle(withTool(misspelt as never)))).rejects.toThrow(
    /tool “own\.tool” needs description: a text; tool “own\.tool” has an unknown key “descripton”; did you mean description\?/,
  );
});
