import { defineAgent, defineBundle, defineEvent, defineWidget, starters } from 'timeloom/sdk';
import { z } from 'zod';
import { catalogKey, settings } from './settings.ts';
import { lend, search } from './tools.ts';

const librarian = defineAgent({
  ...starters.balanced,
  id: 'librarian',
  instruction: { file: './librarian.md' },
  tools: [search, lend, 'exec_tools.*'],
  budgets: { rounds: 8 },
});

const returned = defineEvent({
  kind: 'returned',
  reactive: true,
  payload: z.object({ title: z.string() }),
  text: ({ title }) => `“${title}” came back.`,
});

const shelf = defineWidget({
  id: 'shelf',
  title: 'Shelf',
  ui: './ui/shelf',
  renders: ['application/vnd.library.shelf+json'],
});

export const bundle = defineBundle({
  id: 'library',
  version: '1.0.0',
  agents: [librarian],
  props: settings,
  secrets: [catalogKey],
  skills: './skills',
  events: [returned],
  widgets: [shelf],
});
