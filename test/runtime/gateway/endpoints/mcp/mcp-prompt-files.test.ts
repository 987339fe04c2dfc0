import { expect, test } from 'vitest';
import { defineAgent, defineBundle, defineKnowledge } from '../../../../../runtime/sdk/index.ts';
import { patient } from '../../../../tools/machine-speed.ts';
import { openFolder } from '../../../sdk/kit.ts';
import { openMcpStage } from './mcp-kit.ts';

const gif = 'GIF89a';
const skill = (name: string, text: string, more = '') =>
  `---\nname: ${name}\ndescription: How to ${name}.\n${more}---\n${text}\n`;
const many = Array.from({ length: 12 }, (_, index) => `ks:page-${index}`);
const files = {
  'skills/report/SKILL.md': skill(
    'report',
    'See references/units.md, (assets/dot.gif) and `ks:the%20guide`. Not references/none.md, other/x.md, ' +
      'https://acme.io/assets/x or tasks:x. The rest is in references/long.md; {{about}}',
  ),
  'skills/report/arguments.yaml': '- { name: about }',
  'skills/report/references/units.md': 'ms',
  'skills/report/references/deep/units.md': 's',
  'skills/report/references/long.md': 'x'.repeat(20_000),
  'skills/report/references/huge.md': 'x'.repeat(2_100_000),
  'skills/report/assets/dot.gif': gif,
  'skills/many/SKILL.md': skill('many', many.join(' ')),
  'skills/quiet/SKILL.md': skill('quiet', 'Hm.', 'metadata:\n  timeloom-hidden: "true"\n'),
};
const knowledge = defineKnowledge({
  search: async () => [],
  read: async (path) =>
    path.startsWith('none') ? undefined : { mime: 'text/markdown', body: `# ${path}` },
});
const main = defineAgent({ id: 'main', instruction: 'Help.' });
const bundle = defineBundle({
  id: 'acme',
  version: '1',
  agents: [main],
  skills: './skills',
  knowledge,
  mcp: { expose: [{ id: 'acme', agents: [main], tools: [] }] },
});

async function open() {
  const folder = await openFolder(files);
  const stage = await openMcpStage([], { bundle, dir: folder.dir });
  const { client } = await stage.connect();
  const contentsOf = async (name: string, given: Record<string, string> = {}) => {
    const { messages } = await client.getPrompt({ name, arguments: given });
    expect(new Set(messages.map(({ role }) => role))).toEqual(new Set(['user']));
    return messages.slice(1).map(({ content }) => content);
  };
  return {
    client,
    contentsOf,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

// proves: mcp-server-prompt-files
test('a prompt brings what its text names: small texts and images as content, long texts as links', async () => {
  await using stage = await open();
  const page = (uri: string, text: string) => ({
    type: 'resource',
    resource: { uri, mimeType: 'text/markdown', text },
  });
  const long = 'sk:acme.report/references/long.md';
  expect(await stage.contentsOf('report', { about: 'also ks:other.md!' })).toEqual([
    page('sk:acme.report/references/units.md', 'ms'),
    { type: 'image', mimeType: 'image/gif', data: Buffer.from(gif).toString('base64') },
    page('ks:the%20guide', '# the guide'),
    { type: 'resource_link', uri: long, name: 'long.md', mimeType: 'text/markdown', size: 20_000 },
    page('ks:other.md', '# other.md'),
  ]);
  const { contents } = await stage.client.readResource({ uri: long });
  expect(contents).toEqual([{ uri: long, mimeType: 'text/markdown', text: 'x'.repeat(20_000) }]);
});

// proves: mcp-server-prompt-files
test('a prompt brings at most eight files, and none that cannot be read', async () => {
  await using stage = await open();
  expect(await stage.contentsOf('many')).toHaveLength(8);
  for (const about of [
    ...['ks:none', 'references/huge.md', 'sk:acme.quiet', 'sk:other.report', 'fi:turn_x.outputs/x'],
    ...[
      'assets/../SKILL.md',
      'references/',
      'references/deep',
      'ks:',
      'ks:none\ud800',
      'so:sources_pool[1]',
    ],
  ]) {
    expect([about, (await stage.contentsOf('report', { about })).length]).toEqual([about, 4]);
  }
});

// proves: mcp-server-prompt-files
test('skills and their files are resources, except for hidden ones', async () => {
  await using stage = await open();
  const { resourceTemplates } = await stage.client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('sk:{+path}');
  const { completion } = await stage.client.complete({
    ref: { type: 'ref/resource', uri: 'sk:{+path}' },
    argument: { name: 'path', value: '' },
  });
  expect(completion.values).toEqual(['acme.many', 'acme.report']);
  const { contents } = await stage.client.readResource({ uri: 'sk:acme.many' });
  expect(contents).toMatchObject([{ mimeType: 'text/markdown', text: many.join(' ') }]);
  for (const uri of [
    'sk:acme.quiet',
    'sk:acme.report/SKILL.md',
    'sk:acme.report/../x',
    'sk:none',
  ]) {
    await expect(stage.client.readResource({ uri })).rejects.toThrow('not found');
  }
});

test('a prompt with a long run of dots is answered at once', async () => {
  await using stage = await open();
  const startedMs = performance.now();
  expect(await stage.contentsOf('report', { about: `ks:${'.'.repeat(200_000)}x` })).toHaveLength(4);
  expect(performance.now() - startedMs).toBeLessThan(patient(2_000));
});
