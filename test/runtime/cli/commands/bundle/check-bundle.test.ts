import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkBundle } from '../../../../../runtime/cli/commands/bundle/check-bundle.ts';
import { type Environment, readConfig } from '../../../../../runtime/cli/config/config.ts';
import { openFolder } from '../../../sdk/kit.ts';

type Files = Readonly<Record<string, string>>;

/** The findings for the bundle in `desk/`, one per line: level, kind, places, text. */
async function check(files: Files, env: Environment = {}): Promise<readonly string[]> {
  await using folder = await openFolder({ 'desk/bundle.ts': source(), ...files });
  if (files['bundles.secrets.yaml']) await chmod(join(folder.dir, 'bundles.secrets.yaml'), 0o600);
  const config = readConfig({ TIMELOOM_CONFIG_DIR: folder.dir, ...env });
  const { found } = await checkBundle(join(folder.dir, 'desk'), {
    ...{ config, types: false, say: () => undefined, signal: AbortSignal.timeout(60_000) },
  });
  return found.map(({ level, what, places, says, fix = '' }) =>
    [level, what, places.join(' '), says, fix].join(' | ').replaceAll(`${folder.dir}/`, ''),
  );
}

/** The source of a bundle; `agent`, `bundle` and `before` are inserted at the places of that name. */
const source = ({ agent = '', bundle = '', before = '' } = {}) => `
import { z } from 'zod';
import { defineAgent, defineBundle, defineEvent, defineProps, defineSecret, defineTool, defineWidget, sandbox } from 'timeloom/sdk';
const tool = (id: string) => defineTool({ id, description: 'x', input: z.object({}), run: () => 1 });
${before}
export const bundle = defineBundle({
  id: 'desk', version: '1', ${bundle}
  agents: [defineAgent({ id: 'main', instruction: 'Help.', ${agent} })],
});
`;

test('a valid bundle has no findings', async () => {
  expect(await check({})).toEqual([]);
});

const perUser = (key: string) =>
  source({
    bundle: `props: defineProps(z.object({ unit: z.string().default('ms') }), { perUser: ['${key}'] }),`,
  });

// proves: props.user-load
test('props of users are accepted if the bundle declares them', async () => {
  expect(await check({ 'desk/bundle.ts': perUser('unit') })).toEqual([]);
  expect(await check({ 'desk/bundle.ts': perUser('region') })).toEqual([
    expect.stringMatching(
      /^error \| load \|.*perUser names “region”, which is not a key of the props/,
    ),
  ]);
});

const errors: Readonly<Record<string, { files: Files; says: RegExp }>> = {
  'a file that does not compile': {
    files: { 'desk/bundle.ts': 'export const bundle = ;' },
    says: /^error \| load \| bundle\.ts:1:23 \| Unexpected ";" \| $/,
  },
  'an import that cannot be resolved': {
    files: { 'desk/bundle.ts': "import './none.ts';\nexport const bundle = 1;" },
    says: /^error \| load \| bundle\.ts:1:8 \| Could not resolve "\.\/none\.ts"/,
  },
  'a missing bundle export': {
    files: { 'desk/bundle.ts': 'export const other = 1;' },
    says: /^error \| load \| {2}\| bundle\.ts does not export `bundle`/,
  },
  'a duplicate id': {
    files: { 'desk/bundle.ts': source({ agent: "tools: [tool('a.b'),\n tool('a.b')]" }) },
    says: /^error \| load \| bundle\.ts:8 bundle\.ts:9 \| agent “main”: duplicate tool “a\.b”/,
  },
  'a reserved id': {
    files: { 'desk/bundle.ts': source({ agent: "tools: [tool('react.mine')]" }) },
    says: /^error \| load \| bundle\.ts:8 \| agent “main”: tool “react\.mine” is reserved/,
  },
  'a blank id': {
    files: { 'desk/bundle.ts': source({ agent: "tools: [tool('')]" }) },
    says: /^error \| load \| .*a tool has no id/,
  },
  'a pattern that matches no tool': {
    files: { 'desk/bundle.ts': source({ agent: "tools: ['web.*']" }) },
    says: /^error \| load \| bundle\.ts:8 \| .*no built-in tool matches “web\.\*”/,
  },
  'a missing instruction file': {
    files: { 'desk/bundle.ts': source({ agent: "instruction: { file: './no.md' }" }) },
    says: /^error \| load \| bundle\.ts:8 \| agent “main”: file \.\/no\.md not found/,
  },
  'a missing script file': {
    files: {
      'desk/bundle.ts': source({
        agent: 'tools: [fit]',
        before: `const fit = defineTool({ id: 'a.fit', description: 'x', input: z.object({}),
  run: sandbox({ file: './fit.py' }) });`,
      }),
    },
    says: /^error \| load \| bundle\.ts:6 \| tool “a\.fit”: file \.\/fit\.py not found/,
  },
  'an MCP server without an address': {
    files: { 'desk/bundle.ts': source({ bundle: "mcp: { use: [{ id: 'maps', url: 'x' }] }," }) },
    says: /^error \| load \| bundle\.ts:7 \| MCP server “maps” has a url that is not valid/,
  },
  'an unknown key': {
    files: { 'desk/bundle.ts': source({ agent: 'tols: []' }) },
    says: /^error \| load \| bundle\.ts:8 \| agent “main”: it has an unknown key “tols”; did you mean tools/,
  },
  'props that do not match the schema': {
    files: {
      'desk/bundle.ts': source({ bundle: 'props: defineProps(z.object({ max: z.int() })),' }),
      'bundles.yaml': 'bundles:\n  - { id: desk, path: ./desk, props: { max: many } }\n',
    },
    says: /^error \| load \| .*invalid props: max/,
  },
  'an agent in bundles.yaml that the bundle does not have': {
    files: { 'bundles.yaml': 'bundles:\n  - id: desk\n    path: ./desk\n    agents: { no: {} }\n' },
    says: /^error \| load \| bundles\.yaml:4 \| agent “no” of “desk” not found/,
  },
  'a model of an unknown provider': {
    files: { 'desk/bundle.ts': source({ agent: "models: { decision: 'best' }" }) },
    says: /^error \| model \| .*"best" must be provider:name/,
  },
};

test.each(Object.entries(errors))(
  '%s is an error with its location',
  async (_, { files, says }) => {
    expect(await check(files)).toEqual([expect.stringMatching(says)]);
  },
);

const skills = source({ bundle: "skills: './skills'," });
const head = (name: string) => `---\nname: ${name}\ndescription: x\n---\nDo it.\n`;
const warnings: Readonly<Record<string, { files: Files; says: RegExp }>> = {
  'a skill with another name': {
    files: { 'desk/bundle.ts': skills, 'desk/skills/one/SKILL.md': head('two') },
    says: /^warning \| notice \| skills\/one\/SKILL\.md:2 \| skill “one” was left out: its name “two” differs/,
  },
  'a skill with invalid YAML': {
    files: { 'desk/bundle.ts': skills, 'desk/skills/a/SKILL.md': '---\nname: a\nx: [\n---\n' },
    says: /^warning \| notice \| skills\/a\/SKILL\.md:\d \| skill “a” was left out: /,
  },
  'a skill with an invalid tools.yaml': {
    files: {
      ...{ 'desk/bundle.ts': skills, 'desk/skills/a/SKILL.md': head('a') },
      'desk/skills/a/tools.yaml': '- id: a.b\n- id: 3\n',
    },
    says: /^warning \| notice \| skills\/a\/tools\.yaml:2 \| .*\[1\]\.id: .*expected string/,
  },
  'a skill that does not use an argument': {
    files: {
      ...{ 'desk/bundle.ts': skills, 'desk/skills/a/SKILL.md': head('a') },
      'desk/skills/a/arguments.yaml': '- name: title\n',
    },
    says: /^warning \| notice \| skills\/a\/arguments\.yaml:1 \| .*argument “title”: write \{\{title\}\}/,
  },
  'a skill with an invalid sources.yaml': {
    files: {
      ...{ 'desk/bundle.ts': skills, 'desk/skills/a/SKILL.md': head('a') },
      'desk/skills/a/sources.yaml': '- title: x\n  url: nowhere\n',
    },
    says: /^warning \| notice \| skills\/a\/sources\.yaml:2 \| .*\[0\]\.url: Invalid URL/,
  },
  'a widget without a page': {
    files: {
      'desk/bundle.ts': source({
        bundle: "widgets: [defineWidget({ id: 'board', title: 'B', ui: './ui' })],",
      }),
    },
    says: /^warning \| notice \| bundle\.ts:7 \| widget “board” is not served: \.\/ui has no index/,
  },
  'a secret that is not set': {
    files: {
      'desk/bundle.ts': source({
        bundle: "secrets: [defineSecret({ id: 'KEY', for: 'bundle', description: 'opens it' })],",
      }),
    },
    says: /^warning \| secret \| bundle\.ts:7 \| “KEY” is not set \(opens it\) \| set it in bundles\.secrets\.yaml: desk: \{ KEY: /,
  },
};

test.each(Object.entries(warnings))(
  '%s is a warning with its location',
  async (_, { files, says }) => {
    expect(await check(files)).toEqual([expect.stringMatching(says)]);
  },
);

test('all findings are reported at once, errors before warnings', async () => {
  const found = await check({
    'desk/bundle.ts': source({ bundle: "skills: './skills',", agent: "tools: ['a.*', 'b.*']" }),
    'desk/skills/one/SKILL.md': 'nothing',
  });
  expect(found.map((line) => line.split(' | ').slice(0, 3).join(' '))).toEqual([
    'error load bundle.ts:8',
    'error load bundle.ts:8',
    'warning notice skills/one/SKILL.md:1',
  ]);
});

test('onLoad, dispose and servers of the bundle are not called', async () => {
  const bad = "() => { throw new Error('called'); }";
  const bundle = `onLoad: ${bad}, dispose: ${bad},
    mcp: { use: [{ id: 'maps', url: 'http://127.0.0.1:1', required: true }] },`;
  expect(await check({ 'desk/bundle.ts': source({ bundle }) })).toEqual([]);
});

test('a secret that is set and entries for other bundles in bundles.yaml are not reported', async () => {
  const secrets = "secrets: [defineSecret({ id: 'KEY', for: 'bundle', description: 'x' })],";
  const files = {
    'desk/bundle.ts': source({ bundle: secrets }),
    'bundles.yaml': 'bundles:\n  - { id: other, path: ./other, agents: { x: {} } }\n',
    'bundles.secrets.yaml': 'desk: { KEY: { env: DESK_KEY } }\n',
  };
  expect(await check(files)).toHaveLength(1);
  expect(await check(files, { DESK_KEY: 'open-sesame' })).toEqual([]);
});
