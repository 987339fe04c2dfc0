import { defineAgent, defineBundle, defineKnowledge, starters } from 'timeloom/sdk';

const clerk = defineAgent({ ...starters.balanced, id: 'clerk', instruction: 'Answer readers.' });

const handbook = defineKnowledge({
  repo: '',
  roots: { handbook: 'handbook' },
  validateRefs: true,
});

export const bundle = defineBundle({
  id: 'desk',
  version: '1.0.0',
  agents: [clerk],
  knowledge: handbook,
});

export const manual = defineKnowledge({
  repo: 'https://git.acme.io/handbook.git',
  ref: 'v3',
  commit: '5f2b8c1d9e3a7046b1c8d2e9f0a3b4c5d6e7f801',
  roots: { handbook: 'docs' },
});
