import { defineAgent, defineBundle, defineWidget, starters } from 'timeloom/sdk';
import { normals } from './normals.ts';
import { profile } from './profile.ts';
import { settings } from './settings.ts';

const analyst = defineAgent({
  ...starters.balanced,
  id: 'analyst',
  instruction: { file: './analyst.md' },
  tools: [profile, normals, 'exec_tools.*'],
  exec: { languages: ['python', 'javascript'], timeoutMs: 60_000, memoryMb: 512 },
});

const board = defineWidget({
  id: 'board',
  title: 'Findings',
  ui: './ui/board',
  main: true,
  renders: ['application/vnd.analyst.findings+json'],
});

export const bundle = defineBundle({
  id: 'analyst',
  version: '1.0.0',
  title: 'Data analyst',
  agents: [analyst],
  props: settings,
  skills: './skills',
  widgets: [board],
});
