import { expect, test } from 'vitest';
import { config, inFolder, problems } from './config-kit.ts';

inFolder();

const agents = `agents:
  programs:
    claude-code:
      command: [node, /opt/agents/index.js]
      folders: [/opt/agents]
      model: { api: anthropic, url: "http://models.example:8080" }
      hosts: [registry.npmjs.org]
      memory_mb: 2048
`;

// proves: external.egress, external.define
test('the key of the model stays with the proxy, and the program has its address', () => {
  const found = config({ 'assembly.yaml': agents }, { ANTHROPIC_API_KEY: 'secret' }).agentPrograms;
  const program = found?.programs['claude-code'];
  expect(program?.egress.models).toEqual({
    anthropic: { url: 'http://models.example:8080', headers: { 'x-api-key': 'secret' } },
  });
  expect(program?.env).toMatchObject({
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:8377/model/anthropic',
  });
  expect(JSON.stringify(program?.env)).not.toContain('secret');
  expect(program?.limits).toMatchObject({ memoryMb: 2048, workspaceMb: 2048 });
});

// proves: external.define
test('a missing key and an invalid host are reported with their place', () => {
  expect(problems({ 'assembly.yaml': agents })).toEqual([
    'assembly.yaml:2: claude-code: set ANTHROPIC_API_KEY in secrets.yaml or in the environment',
  ]);
  const wrong = agents.replace('registry.npmjs.org', '"https://x"');
  expect(problems({ 'assembly.yaml': wrong }, { ANTHROPIC_API_KEY: 'x' }).join()).toContain(
    'a host, such as',
  );
});

// proves: external.docker
test('programs run in the process sandbox unless the operator chooses Docker, and their workspaces are kept for 30 days', () => {
  const env = { ANTHROPIC_API_KEY: 'x' };
  const read = (more: string) =>
    config({ 'assembly.yaml': agents.replace('agents:', `agents:${more}`) }, env).agentPrograms;
  expect(read('')).toMatchObject({ mode: 'process', keepDays: 30 });
  expect(read('\n  mode: docker\n  image: our-tools:3\n  keep_days: 7')).toMatchObject({
    ...{ mode: 'docker', image: 'our-tools:3', keepDays: 7 },
  });
  const unfit = agents.replace('agents:', 'agents:\n  image: our-tools:3');
  expect(problems({ 'assembly.yaml': unfit }, env)).toEqual([
    'assembly.yaml:3: image requires agents.mode: docker',
  ]);
});
