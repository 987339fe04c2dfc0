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
