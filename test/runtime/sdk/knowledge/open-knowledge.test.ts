import { expect, test } from 'vitest';
import { defineKnowledge, Refusal } from '../../../../runtime/sdk/index.ts';
import { openRuntime, outline } from '../../../../runtime/testing/index.ts';
import { patient } from '../../../tools/machine-speed.ts';
import { bundleWith, compile, openFolder } from '../kit.ts';

// proves: sdk.knowledge

const signal = AbortSignal.timeout(patient(60_000));

const files = {
  'docs/latency.md':
    '---\ntitle: Latency\nsummary: What p95 means here.\ntags: [p95, slow]\nsee_also: [missing.md]\n---\n# Percentiles\n\nTail [units](units.md).\n',
  'docs/units.md':
    '# Units\n\nMilliseconds. [Gone](gone/there.md) [web](https://acme.io) [top](#units)\n',
  'docs/.secret.md': '# Percentiles',
  'docs/node_modules/x/readme.md': '# Percentiles',
  'docs/picture.png': 'no text',
  'src/main.ts': 'export const latencyBudget = 300;\n',
};
const folders = { repo: '', roots: { docs: 'docs', code: 'src' }, validateRefs: true };

async function compiled(
  knowledge = defineKnowledge(folders),
  contents: Record<string, string> = files,
) {
  const folder = await openFolder(contents);
  const { agents, notices } = await compile(bundleWith([], { knowledge }), { dir: folder.dir });
  const [{ knowledge: space, tools }] = agents;
  return {
    ...{ space, notices, tools: tools.map(({ spec }) => spec.id) },
    found: async (query: string, limit = 5) =>
      (await space?.search(query, { limit, signal }))?.map(({ path }) => path),
    read: async (name: string) => (await space?.read(name, { signal }))?.body,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test('folders of a bundle are searched by title, tags, headings and words, and read by path', async () => {
  await using it = await compiled();
  expect(it.tools).toContain('react.search_knowledge');
  expect(await it.found('p95')).toEqual(['ks:docs/latency.md']);
  expect(await it.found('percentile')).toEqual(['ks:docs/latency.md']);
  expect(await it.found('milliseconds')).toEqual(['ks:docs/units.md']);
  expect(await it.found('latencyBudget')).toContain('ks:code/main.ts');
  expect(await it.found('latency units', 1)).toHaveLength(1);
  expect(await it.found('zzz')).toEqual([]);
  const [hit] = (await it.space?.search('latency', { limit: 1, signal })) ?? [];
  expect(hit).toMatchObject({ title: 'Latency', summary: 'What p95 means here.' });
  expect(await it.read('code/main.ts')).toBe('export const latencyBudget = 300;\n');
  expect(await it.read('docs')).toBe('- ks:docs/latency.md · Latency\n- ks:docs/units.md · Units');
});

test('hidden files, packages, binary files and files outside the roots are not pages', async () => {
  await using it = await compiled();
  for (const name of [
    'docs/.secret.md',
    'docs/picture.png',
    '../x',
    'docs/../docs/units.md',
    'none',
  ])
    expect(await it.read(name)).toBeUndefined();
  expect(await it.read('')).not.toMatch(/node_modules|secret|picture/);
});

test('broken links between pages are reported if requested', async () => {
  await using it = await compiled();
  expect(it.notices).toEqual([
    'ks:docs/latency.md links to ks:docs/missing.md, which does not exist',
    'ks:docs/units.md links to ks:docs/gone/there.md, which does not exist',
  ]);
  await using silent = await compiled(defineKnowledge({ ...folders, validateRefs: false }));
  expect(silent.notices).toEqual([]);
});

test('invalid front matter counts as text, and a bundle with a missing folder has no knowledge', async () => {
  await using odd = await compiled(defineKnowledge(folders), {
    'docs/a.md': '---\ntitle: [\n---\n# Still here\n',
    'docs/b.md': '---\ntitle: { a: 1 }\ntags: 7\n---\ntext\n',
    'src/x.ts': '',
  });
  expect(await odd.found('still')).toEqual(['ks:docs/a.md']);
  expect(await odd.read('docs')).toBe('- ks:docs/a.md · Still here\n- ks:docs/b.md · b.md');
  await using none = await compiled(defineKnowledge(folders), { 'docs/a.md': '' });
  expect(none.space).toBeUndefined();
  expect(none.tools).not.toContain('react.search_knowledge');
  expect(none.notices.join()).toMatch(/its knowledge is not served: ENOENT.*src/);
});

test('a folder outside the bundle and a wrong definition stop the load', async () => {
  await expect(compile(bundleWith([], { knowledge: {} }))).rejects.toThrow(/defineKnowledge/);
  for (const path of ['../docs', '/etc', 'docs/../..']) {
    const out = defineKnowledge({ repo: '', roots: { docs: path } });
    const load = compile(bundleWith([], { knowledge: out }));
    await expect(load).rejects.toThrow(/“docs” of its knowledge.*not within/);
  }
});

const own = defineKnowledge({
  search: async (query, { limit }) =>
    [{ path: 'ks:faq/1' as const, title: `About ${query}`, score: 1 }].slice(0, limit),
  read: async (path) => {
    if (path === 'faq/1') return { mime: 'text/plain', body: 'Because.' };
    if (path === 'faq/raw') return { mime: 'image/png', body: new Uint8Array([0, 255]) };
    if (path === 'faq/no') throw new Refusal('closed', 'The FAQ is closed.');
    if (path === 'faq/broken') throw new Error('the wiki is down');
    return undefined;
  },
});

test("an agent searches and reads pages through the author's functions, and sees their errors", async () => {
  const find = { tool: 'react.search_knowledge', input: { query: 'why' } };
  const paths = ['ks:faq/1', 'ks:faq/2', 'ks:faq/raw', 'ks:faq/no', 'ks:faq/broken'];
  const read = { tool: 'react.read', input: { paths } };
  await using runtime = await openRuntime({
    bundle: bundleWith([], { knowledge: own }),
    model: [{ call: find }, { call: read }, { answer: 'Because.' }],
  });
  const turn = await runtime.send('Why?');
  expect(await turn.done()).toMatchObject({ reason: 'completed', text: 'Because.' });
  expect(outline(await turn.blocks(), 'react.tool.result')).toEqual([
    'react.tool.result ok',
    'react.tool.result ok',
  ]);
  const [, searched = '', seen = ''] = runtime.model.requests.map(({ text }) => text);
  expect(searched).toContain('- ks:faq/1 · About why');
  expect(seen).toContain('Because.');
  expect(seen).toMatch(/knowledge_unreadable: ks:faq\/raw is image\/png/);
  expect(seen).toMatch(/closed: The FAQ is closed\./);
  expect(seen).toMatch(/knowledge_failed: the wiki is down/);
  expect(seen).toMatch(/faq\/2/);
});
