import { expect, test } from 'vitest';
import { isFault } from '../../../../runtime/base/fault.ts';
import { type Bundle, defineAgent, defineBundle } from '../../../../runtime/sdk/index.ts';
import { compile, openFolder } from '../kit.ts';

function bundleOf(agent: Parameters<typeof defineAgent>[0]): Bundle {
  return defineBundle({
    id: 'acme',
    version: '1',
    skills: './skills',
    agents: [defineAgent(agent)],
  });
}

const skill = '---\nname: review\ndescription: Reviews code.\n---\n\nRead it twice.\n';

// proves: external.define
test('an agent program gets the files of its workspace folder, its instruction and its skills', async () => {
  await using folder = await openFolder({
    'coder/.mcp.json': '{"mcpServers":{}}',
    'coder/GEMINI.md': 'Own text.',
    'skills/review/SKILL.md': skill,
    'skills/review/references/rules.md': 'No tabs.',
  });
  const external = { program: 'claude-code', workspace: './coder', egress: ['registry.npmjs.org'] };
  const agent = { id: 'coder', instruction: 'Be brief.', runtime: 'external', external } as const;
  const { agents } = await compile(bundleOf(agent), { dir: folder.dir });
  const [{ external: program, tools }] = agents;
  expect(tools).toEqual([]);
  expect(program).toMatchObject({ program: 'claude-code', egress: ['registry.npmjs.org'] });
  const files =
    program?.files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]) ?? [];
  expect(Object.fromEntries(files)).toEqual({
    'AGENTS.md': 'Be brief.',
    'CLAUDE.md': 'Be brief.',
    'GEMINI.md': 'Own text.',
    '.mcp.json': '{"mcpServers":{}}',
    '.claude/skills/review/SKILL.md': skill,
    '.claude/skills/review/references/rules.md': 'No tabs.',
    '.agents/skills/review/SKILL.md': skill,
    '.agents/skills/review/references/rules.md': 'No tabs.',
  });
});

// proves: external.servers
test('the servers of .mcp.json are read at the load, and a file that no program could read stops it', async () => {
  const external = { program: 'claude-code', workspace: './coder' };
  const agent = { id: 'coder', instruction: '', runtime: 'external', external } as const;
  const load = async (text: string) => {
    await using folder = await openFolder({
      'coder/.mcp.json': text,
      'skills/review/SKILL.md': skill,
    });
    const { agents } = await compile(bundleOf(agent), { dir: folder.dir });
    return agents[0].external?.mcpServers;
  };
  const notes = { command: 'node', args: ['notes.mjs'], env: { DEPTH: '2' } };
  const docs = { type: 'http', url: 'https://docs.acme.io/mcp', headers: { 'x-team': 'a' } };
  expect(await load(JSON.stringify({ mcpServers: { notes, docs } }))).toEqual([
    { name: 'notes', type: 'stdio', ...notes },
    { name: 'docs', ...docs },
  ]);
  expect(await load('{}')).toEqual([]);
  await expect(load('{')).rejects.toThrow('agent “coder”: .mcp.json is not valid JSON');
  await expect(load('{"mcpServers":{"notes":{"args":[]}}}')).rejects.toThrow(
    '.mcp.json: server “notes” needs a command, or a type (http or sse) and a url',
  );
  const many = Array.from({ length: 17 }, (_, n) => [`s${n}`, notes] as const);
  await expect(load(JSON.stringify({ mcpServers: Object.fromEntries(many) }))).rejects.toThrow(
    '.mcp.json has more than 16 servers',
  );
});

// proves: external.define
test('options of the loop, a missing program and a folder outside the bundle are refused', async () => {
  await using folder = await openFolder({ 'skills/review/SKILL.md': skill });
  const problems = async (agent: Parameters<typeof defineAgent>[0]) => {
    try {
      await compile(bundleOf(agent), { dir: folder.dir });
      return '';
    } catch (error) {
      return isFault(error) ? error.message : String(error);
    }
  };
  const agent = { id: 'coder', instruction: '', runtime: 'external' } as const;
  expect(await problems(agent)).toContain('needs external: { program }');
  const external = { program: 'claude-code' };
  expect(await problems({ ...agent, external, answer: 'inline' })).toContain('has no answer');
  expect(await problems({ ...agent, external, tools: ['web.*'] })).toContain('has no tools');
  expect(await problems({ id: 'coder', instruction: '', external })).toContain(
    "runtime: 'external'",
  );
  const outside = { ...external, workspace: '../other' };
  expect(await problems({ ...agent, external: outside })).toContain('not found in the bundle');
  expect(await problems({ ...agent, external: { ...external, ...{ image: 'x' } } })).toContain(
    'unknown key “image”',
  );
});
