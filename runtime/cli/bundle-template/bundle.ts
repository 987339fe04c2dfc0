import { defineAgent, defineBundle, starters } from 'timeloom/sdk';
import { openingHours } from './tools.ts';

const main = defineAgent({
  ...starters.balanced,
  id: 'main',
  instruction: { file: './main.md' },
  tools: [openingHours],
});

export const bundle = defineBundle({
  id: 'new-bundle',
  version: '1.0.0',
  title: 'New bundle',
  agents: [main],
  skills: './skills',
});
