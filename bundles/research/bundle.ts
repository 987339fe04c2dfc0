import { defineAgent, defineBundle, defineKnowledge, starters } from 'timeloom/sdk';
import { search } from './papers.ts';

const library = defineKnowledge({
  repo: '',
  roots: { library: 'library' },
  validateRefs: true,
});

const researcher = defineAgent({
  ...starters.balanced,
  id: 'researcher',
  instruction: { file: './researcher.md' },
  tools: [search],
  firstMessages: ['Since when do people drink tea?', 'Where does coffee come from?'],
});

export const bundle = defineBundle({
  id: 'research',
  version: '1.0.0',
  title: 'Research with sources',
  agents: [researcher],
  knowledge: library,
});
