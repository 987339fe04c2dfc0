import { defineAgent, defineBundle, defineSecret, starters } from 'timeloom/sdk';

const githubKey = defineSecret({
  id: 'GITHUB_KEY',
  for: 'bundle',
  description: 'key of the code search',
});

const agent = defineAgent({
  ...starters.balanced,
  id: 'coder',
  instruction: 'Answer questions about the code.',
  tools: ['mcp.github.*'],
});

export const bundle = defineBundle({
  id: 'library-with-github',
  version: '1.0.0',
  agents: [agent],
  secrets: [githubKey],
  mcp: {
    use: [
      { id: 'github', url: 'https://mcp.acme.io/github', bearer: githubKey, allow: ['search_*'] },
    ],
  },
});
