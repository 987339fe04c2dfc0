import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  defineAgent,
  defineBundle,
  defineSkill,
  defineTool,
} from '../../../../runtime/sdk/index.ts';
import { bundleWith, compile, openFolder } from '../kit.ts';

const head = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: How to ${name}.\n${more}---\n# ${name}\n\nDo it.\n`;
const crawl = defineTool({
  id: 'site.crawl',
  description: 'Crawls.',
  input: z.object({}),
  run: () => 1,
});

test('a folder with a SKILL.md is a skill, including its side files', async () => {
  await using folder = await openFolder({
    'skills/report/SKILL.md': head('report', 'license: MIT\n'),
    'skills/report/tools.yaml': '- { id: site.crawl, why: reads the pages }',
    'skills/report/sources.yaml': '- { url: "https://acme.io/style", title: House style }',
    'skills/report/references/units.md': 'ms',
    'skills/report/secret.txt': 'no',
  });
  const { agents } = await compile(bundleWith([crawl], { skills: './skills' }), {
    dir: folder.dir,
  });
  const [skill] = agents[0].skills;
  expect(skill).toMatchObject({
    id: 'acme.report',
    name: 'report',
    description: 'How to report.',
    hidden: false,
    text: '# report\n\nDo it.\n\nTools for this skill:\n- site.crawl: reads the pages',
    sources: [{ url: 'https://acme.io/style', title: 'House style' }],
  });
  const units = await skill?.file('references/units.md');
  expect([units?.mime, new TextDecoder().decode(units?.bytes)]).toEqual(['text/markdown', 'ms']);
  for (const path of ['secret.txt', 'references/../secret.txt', '../../x', 'references/none.md']) {
    expect(await skill?.file(path)).toBeUndefined();
  }
});

test('a broken skill is left out with one notice, and the others load', async () => {
  await using folder = await openFolder({
    'skills/good/SKILL.md': head('good'),
    'skills/bare/SKILL.md': 'no front matter',
    'skills/other-name/SKILL.md': head('named-otherwise'),
    'skills/empty/readme.md': '',
    'skills/odd-tools/SKILL.md': head('odd-tools'),
    'skills/odd-tools/tools.yaml': '- { wrong: 1 }',
  });
  const { agents, notices } = await compile(bundleWith([], { skills: './skills' }), {
    dir: folder.dir,
  });
  expect(agents[0].skills.map(({ id }) => id)).toEqual(['acme.good']);
  expect(notices).toHaveLength(4);
  expect(notices.join('\n')).toMatch(
    /“bare” was left out: skills\/bare\/SKILL\.md:1: it must begin with/,
  );
  expect(notices.join('\n')).toMatch(
    /skills\/other-name\/SKILL\.md:2: its name “named-otherwise” differs from its folder/,
  );
  expect(notices.join('\n')).toMatch(
    /“odd-tools” was left out: skills\/odd-tools\/tools\.yaml:1: \[0\]\.id: required/,
  );
});

// proves: sdk.known-words
test('an unknown key in SKILL.md is reported, and in defineSkill it excludes the skill', async () => {
  await using folder = await openFolder({
    'skills/open/SKILL.md': head('open', 'license: MIT\nhidden: true\nallowed-tools: a b\n'),
  });
  const odd = { id: 'odd', name: 'Odd', description: 'Odd.', text: 'x', hiden: true };
  const skill = defineSkill(odd);
  const inFolder = await compile(bundleWith([], { skills: './skills' }), { dir: folder.dir });
  expect(inFolder.agents[0].skills.map(({ id }) => id)).toEqual(['acme.open']);
  expect(inFolder.notices.join()).toMatch(
    /^skill “open”: skills\/open\/SKILL\.md has an unknown key “hidden”; did you mean /,
  );
  const inCode = await compile(bundleWith([], { skills: [skill] }));
  expect(inCode.agents[0].skills).toEqual([]);
  expect(inCode.notices.join()).toMatch(
    /^skill “odd” was left out: it has an unknown key “hiden”; did you mean hidden/,
  );
});

test('a skill hides from an agent without the tool it requires', async () => {
  const skill = defineSkill({
    id: 'needs-crawl',
    name: 'Needs crawl',
    description: 'x',
    text: 'Crawl.',
    tools: [{ id: 'site.crawl', required: true }],
  });
  const agents = [
    defineAgent({ id: 'with', instruction: 'x', tools: [crawl] }),
    defineAgent({ id: 'without', instruction: 'x' }),
    defineAgent({ id: 'choosy', instruction: 'x', tools: [crawl], skills: [] }),
  ];
  const compiled = await compile(
    defineBundle({ id: 'acme', version: '1', agents, skills: [skill] }),
  );
  expect(compiled.agents.map(({ skills }) => skills.map(({ id }) => id))).toEqual([
    ['acme.needs-crawl'],
    [],
    [],
  ]);
});

test('a hidden skill is marked so that the catalogue leaves it out', async () => {
  await using folder = await openFolder({
    'skills/quiet/SKILL.md': head('quiet', 'metadata:\n  timeloom-hidden: "true"\n'),
  });
  const { agents } = await compile(bundleWith([], { skills: './skills' }), { dir: folder.dir });
  expect(agents[0].skills[0]?.hidden).toBe(true);
});

const about = { id: 'letter', name: 'letter', description: 'Writes.' };

// proves: sdk.skill-arguments
test('an agent reads the placeholders of a skill with what they mean, and clients get the text alone', async () => {
  await using folder = await openFolder({
    'skills/letter/SKILL.md': head('letter').replace('Do it.', 'Write to {{reader}} {{note}}.'),
    'skills/letter/arguments.yaml':
      '- { name: reader, description: Who it is for, required: true, values: [Ann] }\n- { name: note }',
  });
  const { agents } = await compile(bundleWith([], { skills: './skills' }), { dir: folder.dir });
  const [skill] = agents[0].skills;
  expect(skill?.prompt).toEqual({
    text: '# letter\n\nWrite to {{reader}} {{note}}.',
    arguments: [
      { name: 'reader', description: 'Who it is for', required: true, values: ['Ann'] },
      { name: 'note' },
    ],
  });
  expect(skill?.text).toBe(
    [
      '# letter\n\nWrite to {{reader}} {{note}}.\n',
      'Placeholders in this skill; take their values from the request:',
      '- {{reader}} (required): Who it is for',
      '- {{note}} (optional)',
    ].join('\n'),
  );
});

test('braces in a skill without arguments are text', async () => {
  const skill = defineSkill({ ...about, text: 'Render {{title}}.' });
  const { agents } = await compile(bundleWith([], { skills: [skill] }));
  expect(agents[0].skills[0]).toMatchObject({
    text: 'Render {{title}}.',
    prompt: { arguments: [] },
  });
});

// proves: sdk.skill-arguments
test.each([
  [[{ name: '1st' }], '{{1st}}', /arguments: 0\.name: is not a letter followed by/],
  [[{ name: 'x'.repeat(65) }], '', /0\.name: .*64/],
  [[{ name: 'a', values: [''] }], '{{a}}', /0\.values\.0: /],
  [[{ name: 'a', requird: true }], '{{a}}', /requird/],
  [Array.from({ length: 21 }, (_, n) => ({ name: `a${n}` })), '', /arguments: .*20/],
  [[{ name: 'a' }, { name: 'a' }], '{{a}}', /two of its arguments have the name “a”/],
  [[{ name: 'a' }], '{{ a }}', /does not use the argument “a”: write \{\{a\}\} there/],
  [[{ name: 'a' }], '{{a}} {{b}}', /uses \{\{b\}\}, which is not one of its arguments/],
])(
  'a skill whose arguments are wrong is left out with the reason: %j',
  async (slots, text, reason) => {
    const skill = defineSkill({ ...about, text: `Write. ${text}`, arguments: slots });
    const { agents, notices } = await compile(bundleWith([], { skills: [skill] }));
    expect(agents[0].skills).toEqual([]);
    expect(notices.join()).toMatch(reason);
  },
);
