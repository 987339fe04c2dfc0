import { defineAgent, defineBundle, defineHook, refuse, starters } from 'timeloom/sdk';
import { settings } from './settings.ts';
import { find, refund } from './tools.ts';

const support = defineAgent({
  ...starters.balanced,
  id: 'support',
  instruction: { file: './support.md' },
  tools: [find, refund],
  budgets: { rounds: 8 },
});

/** A rule that holds whatever the model writes. */
const promises = defineHook({
  id: 'no-promises',
  guard: {
    completion: ({ text }) =>
      /\bguarantee/i.test(text)
        ? refuse('no_guarantees', 'Do not guarantee anything. Say what was done.')
        : undefined,
  },
});

export const bundle = defineBundle({
  id: 'support-desk',
  version: '1.0.0',
  title: 'Support desk',
  agents: [support],
  props: settings,
  skills: './skills',
  hooks: [promises],
});
