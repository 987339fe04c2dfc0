import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { applyDiff } from '../../../../runtime/tools/react/write/apply-diff.ts';
import { toUnifiedDiff } from '../../../../runtime/tools/react/write/make-diff.ts';
import { patchTool } from '../../../../runtime/tools/react/write/patch.ts';
import { parseNotes } from '../../../../runtime/tools/react/write/tagged-notes.ts';
import { writeTool } from '../../../../runtime/tools/react/write/write.ts';
import { runs } from '../../../tools/runs.ts';
import { blocksOf, error, openWorld, past, ret, turn } from '../kit.ts';

// proves: tools.diff-round-trip
test('the diff of two texts, applied to the first, gives the second', () => {
  const line = fc.constantFrom('', 'one', 'two', '  three', '- four', '+ five', '@@ six', '\\ no');
  const text = fc
    .tuple(fc.array(line, { maxLength: 20 }), fc.boolean())
    .map(([lines, end]) => lines.join('\n') + (end && lines.length > 0 ? '\n' : ''));
  fc.assert(
    fc.property(text, text, fc.integer({ min: 0, max: 3 }), (a, b, context) => {
      const diff = toUnifiedDiff(a, b, context);
      expect(diff === '').toBe(a === b);
      if (diff !== '') expect(applyDiff(a, diff)).toMatchObject({ ok: true, text: b });
    }),
    runs(500),
  );
});

test('texts too large to compare line by line still share their common beginning and end', () => {
  const many = (word: string) => Array.from({ length: 1_500 }, (_, n) => `${word}${n}\n`).join('');
  const [a, b] = [`same\n${many('a')}end\n`, `same\n${many('b')}end\n`];
  const diff = toUnifiedDiff(a, b, 1);
  expect(diff.startsWith('@@ -1,1502 +1,1502 @@\n same\n-a0\n')).toBe(true);
  expect(applyDiff(a, diff)).toMatchObject({ text: b });
});

test('a scratchpad with several tagged lines becomes several notes of their kinds', async () => {
  expect(parseNotes('[D] use SQL\nbecause it is there\n- [P] short answers\n')).toEqual([
    { text: 'use SQL\nbecause it is there', tag: 'D' },
    { text: 'short answers', tag: 'P' },
  ]);
  const world = await openWorld();
  const pad = { channel: 'internal', scratchpad: true };
  const noted = await world.perform(writeTool, { ...pad, content: '[K] fi:x\n[A] done' });
  expect(blocksOf(noted, 'react.note')).toMatchObject([
    { text: 'fi:x', data: { tag: 'K' } },
    { text: 'done', data: { tag: 'A' } },
  ]);
  const long = await world.perform(writeTool, { ...pad, content: 'x'.repeat(4_001) });
  expect(error(long)?.code).toBe('note_too_long');
  expect(error(await world.perform(writeTool, { ...pad, content: ' ' }))?.code).toBe('note_empty');
  const seen = await world.perform(writeTool, { scratchpad: true, content: 'x' });
  expect(error(seen)?.code).toBe('invalid_input');
  const nameless = await world.perform(writeTool, { content: 'x' });
  expect(error(nameless)).toMatchObject({
    code: 'invalid_input',
    violations: [{ path: 'path', message: 'is required, except with scratchpad' }],
  });
});

test('notices report an unusual path, extension, parameter order or source of a written file', async () => {
  const world = await openWorld();
  const performed = await world.perform(writeTool, {
    content: 'see [[S:4]]',
    path: 'report.pdf',
    channel: 'canvas',
  });
  expect(ret(performed)).toMatchObject({ mime: 'text/plain', shown: false, sources_used: [] });
  const codes = blocksOf(performed, 'react.notice').map(({ data }) => JSON.stringify(data));
  expect(codes.join()).toMatch(
    /path_rewritten.*write_extension_mismatch.*citation_unresolved.*path_not_first/,
  );
  const plain = await world.perform(writeTool, {
    path: 'outputs/a.md',
    channel: 'canvas',
    content: 'x',
    kind: 'file',
  });
  expect(blocksOf(plain, 'react.notice')).toEqual([]);
  expect(ret(plain)).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
});

test('each refusal of a patch has its own code and changes nothing', async () => {
  const world = await openWorld();
  await world.perform(writeTool, { path: 'outputs/a.json', content: '{"a": 1}\n' });
  const codes = [
    [{ path: 'outputs/a.json', patch: ' ' }, 'missing_patch'],
    [{ path: `fi:${past}.outputs/a.json`, patch: 'x' }, 'patch_requires_current_turn_path'],
    [{ path: `ar:${turn}.user.prompt`, patch: 'x' }, 'patch_unsupported_namespace'],
    [
      { path: 'outputs/a.json', patch: '@@ -1 +1 @@\n-{"a": 1}\n+{"a": 1\n' },
      'post_patch_check_failed',
    ],
    [{ path: 'outputs/a.json', patch: '@@ -1 +1 @@\n-{"b": 1}\n+{}\n' }, 'hunk_mismatch'],
  ] as const;
  for (const [input, code] of codes) {
    const performed = await world.perform(patchTool, { ...input });
    expect(error(performed)?.code).toBe(code);
    expect(blocksOf(performed, 'artifact.file')).toEqual([]);
  }
});

// proves: tools.write-patch
test('a patch of a file of another turn says how to bring that file here', async () => {
  const world = await openWorld();
  await world.file(`fi:${past}.outputs/a.txt`, 'one\n');
  const how =
    'Call react.checkout {"paths":["fi:t1.outputs/a.txt"]} first, then patch outputs/a.txt.';
  for (const path of ['fi:t1.outputs/a.txt', `fi:${past}.outputs/a.txt`, 'outputs/a.txt']) {
    const performed = await world.perform(patchTool, { path, patch: '@@ -1 +1 @@\n-one\n+uno\n' });
    expect(error(performed)?.message).toContain(how);
  }
  const none = await world.perform(patchTool, { path: 'outputs/b.txt', patch: 'x' });
  expect(error(none)?.message).toBe('This turn has no outputs/b.txt. react.write makes a new one.');
});

test('a patch reports its changes and keeps a byte order mark', async () => {
  const world = await openWorld();
  const path = `fi:${turn}.outputs/a.txt`;
  await world.file(path, '\uFEFFone\ntwo\n');
  const performed = await world.perform(patchTool, { path, patch: '@@ -1 +1 @@\n-one\n+uno\n' });
  expect(ret(performed)).toMatchObject({
    edited: true,
    diff: '@@ -1,2 +1,2 @@\n-one\n+uno\n two\n',
  });
  const { services } = await world.contextOf(patchTool, {});
  const read = await services.read(path);
  expect(read && (await services.bytes(read))[0]).toBe(0xef);
});

test('the diff of a patch appears once: in its call, or in its result if the call cannot show it', async () => {
  const world = await openWorld();
  const path = `fi:${turn}.outputs/a.txt`;
  await world.file(path, 'one\ntwo\n');
  const small = await world.perform(patchTool, { path, patch: '@@ -1 +1 @@\n-one\n+uno\n' });
  expect(small.preview).toMatch(/· 1 hunk applied · new text in line 1$/);
  const whole = await world.perform(patchTool, { path, patch: 'uno\ndos\n' });
  expect(whole.preview).toContain('\n-two\n+dos');
  expect(blocksOf(whole, 'canvas')).toMatchObject([{ data: { file: path } }]);
  await world.file(path, Array.from({ length: 30 }, (_, n) => `line ${n + 1}\n`).join(''));
  const patch =
    '@@ -3 +3,2 @@\n-line 3\n+three\n+and a half\n@@ -20,2 +21 @@\n-line 20\n line 21\n';
  const several = await world.perform(patchTool, { path, patch });
  expect(several.preview).toMatch(
    /2 hunks applied · new text in lines 3-4 · text removed after line 20$/,
  );
});

const cited = [
  { sid: 1, title: 'A', url: 'https://a.io' },
  { sid: 2, title: 'Rain', url: `fi:${turn}.outputs/rain.csv` },
];

async function openWithSources() {
  const world = await openWorld();
  const row = { turn, type: 'source.row', author: 'tool' as const };
  await world.append(
    cited.map((data) => ({ ...row, path: toBlockPath(`so:sources_pool[${data.sid}]`), data })),
  );
  return world;
}

// proves: citations.files
test('citations in a page and in a Markdown file for people are links, in the file and where it is shown', async () => {
  const world = await openWithSources();
  const write = async (path: string, channel: string) => {
    const content = 'wet [[S:1]], dry [[S:2]], odd [[S:9]], `[[S:1]]` <!-- [[S:1]] -->';
    const input = { path, channel, content, kind: 'display' };
    const performed = await world.perform(writeTool, input);
    const { services } = await world.contextOf(writeTool, {});
    const read = await services.read(`fi:${turn}.${path}`);
    const text = read && new TextDecoder().decode(await services.bytes(read));
    const codes = blocksOf(performed, 'react.notice').map(({ data }) => data);
    return { text, shown: blocksOf(performed, 'canvas').map((block) => block.text), codes };
  };
  const html =
    'wet <sup class="cite" data-sids="1"><a href="https://a.io" title="A">1</a></sup>, dry ' +
    '<sup class="cite" data-sids="2"><span title="Rain">2</span></sup>, odd , ' +
    '`<sup class="cite" data-sids="1"><a href="https://a.io" title="A">1</a></sup>` <!-- [[S:1]] -->';
  const unresolved = [{ code: 'citation_unresolved' }];
  expect(await write('outputs/a.html', 'canvas')).toEqual({
    text: html,
    shown: [html],
    codes: unresolved,
  });
  const { text, codes } = await write('outputs/a.md', 'canvas');
  expect(text).toMatch(/^wet \[A\]\(https:\/\/a.io\), dry Rain, odd , `\[\[S:1\]\]`/);
  expect(codes).toEqual(unresolved);
  expect((await write('outputs/b.html', 'internal')).text).toContain('wet [[S:1]]');
});

test('a citation token in a file of another type gives a notice, because it does not become a link', async () => {
  const world = await openWithSources();
  const codes = async (channel: string) => {
    const input = { path: 'outputs/a.txt', channel, content: 'wet [[S:1]]', kind: 'display' };
    const performed = await world.perform(writeTool, input);
    return blocksOf(performed, 'react.notice').map(({ data }) => data);
  };
  expect(await codes('canvas')).toEqual([{ code: 'citation_in_file' }]);
  expect(await codes('timeline_text')).toEqual([]);
});
