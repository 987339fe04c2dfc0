import { z } from 'zod';
import type { EvalReports } from '../../../runtime/gateway/ports/eval-reports.ts';
import { defineAgent, defineBundle, defineTool } from '../../../runtime/sdk/index.ts';
import { type ModelsRuntime, openWithModels } from '../../runtime/gateway/workbench/models-kit.ts';

const look = defineTool({
  id: 'archive.look',
  description: 'Looks up when something was built.',
  input: z.object({ what: z.string() }),
  effects: 'none',
  run: ({ what }) => ({
    found: `The ${what} bridge was begun in 1871. Trains crossed it from June 1878; the storm of December 1879 destroyed it.`,
    source: `Annals of the ${what}, volume 2`,
    notes: 'Contemporary reports differ about the number of passengers. '.repeat(12),
  }),
});

const bundle = defineBundle({
  id: 'history',
  version: '1',
  agents: [
    defineAgent({
      id: 'main',
      instruction: 'Answer questions about old bridges from the archive.',
      tools: [look],
    }),
  ],
});

export const wrongSentence = 'It opened to trains in June 1879.';

/** The model looks something up, hides the result, and then remembers it wrongly. */
const script = [
  {
    thinking: 'I look the bridge up before I answer.',
    call: { tool: 'archive.look', input: { what: 'Tay' }, notes: 'Searching the archive.' },
  },
  {
    thinking: 'The result is long; I keep the gist.',
    call: {
      tool: 'react.hide',
      input: { path: 'tc:t1.c1.result', replacement: 'Tay bridge: June 1879, storm.' },
    },
  },
  {
    answer: `The first Tay bridge was begun in 1871. ${wrongSentence} A storm destroyed it.`,
    followups: ['How many people died?'],
  },
  { answer: 'Contemporary reports differ; about 75 people died.' },
] as const;

/** What the usual model says in another conversation, and when a developer edits a result. */
const later = Array.from({ length: 11 }, () => ({
  answer: 'The first Tay bridge opened to trains in May 1999.',
}));

/** Another model, which hides nothing. */
const careful = [
  {
    thinking: 'I look it up and keep the whole result.',
    call: { tool: 'archive.look', input: { what: 'Tay' }, notes: 'Searching the archive.' },
  },
  { answer: 'The first Tay bridge was begun in 1871. It opened to trains in June 1878.' },
] as const;

const evals: EvalReports = {
  read: async () => [
    {
      ...{ folder: 'evals', at: '2026-11-01T10:00:00.000Z', model: 'scripted:usual' },
      cases: [
        {
          ...{ name: 'opening of the bridge', agent: 'history/main' },
          ...{ input: ['When did the Tay bridge open?'], judge: 'It names the month.' },
          result: {
            ...{ at: '2026-11-01T10:00:00.000Z', model: 'scripted:usual', passed: false },
            ...{ findings: ['the answer lacks “1878”'], seconds: 2.5, tokens: 4_400 },
            cost_usd: 0.012,
            before: { passed: true, seconds: 2, tokens: 4_000, cost_usd: 0.01 },
          },
        },
        { name: 'number of victims', input: ['How many people died?'] },
      ],
    },
  ],
  start: async () => undefined,
  stop: () => undefined,
};

export type StudioStory = AsyncDisposable & {
  readonly runtime: ModelsRuntime;
  readonly conversation: string;
  readonly studio: string;
};

export async function openStudioStory(): Promise<StudioStory> {
  const runtime = await openWithModels({
    bundle,
    deps: { evals },
    models: {
      'scripted:usual': [...script, ...later],
      'scripted:careful': [...careful, ...careful, ...careful],
    },
  });
  const conversation = runtime.connect('dev').conversation();
  await (await conversation.send('When did the Tay bridge open?')).done();
  await (await conversation.send('How many people died?')).done();
  const rated = runtime.connect('dev').conversation();
  const turn = await rated.send('When was it rebuilt?');
  await turn.done();
  await (await rated.send('And painted?')).done();
  await rated.feedback(turn.id, { reaction: 'not_ok', text: 'Wrong month.' });
  const studio = `${runtime.url}/studio/#${conversation.id}`;
  const close = () => runtime[Symbol.asyncDispose]();
  return { runtime, conversation: conversation.id, studio, [Symbol.asyncDispose]: close };
}
