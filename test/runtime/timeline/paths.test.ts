import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toCallId, toTurnId } from '../../../runtime/timeline/ids.ts';
import { formatPath, parsePath, parseSelector, paths } from '../../../runtime/timeline/paths.ts';

const t = toTurnId('turn_0123456789abcdefghij');

test.each([
  paths.prompt(t),
  paths.external(t, 'followup', 'msg_1'),
  paths.completion(t),
  paths.completion(t, 2),
  paths.note(t, 1),
  paths.notice(t, 3),
  paths.plan(t, `plan:${t}:0a0b0c0d`),
  paths.planLatest(`plan:${t}:0a0b0c0d`),
  paths.canvas(t, 'board.md'),
  paths.turnIndex(t),
  paths.call(t, toCallId('tc_1')),
  paths.result(t, toCallId('tc_1')),
  paths.callNotice(t, toCallId('tc_1')),
  paths.code(t, toCallId('tc_1')),
  paths.file(t, 'outputs/a/b c.csv'),
  paths.attachment(t, 'weather (1).csv'),
  paths.externalAttachment(t, 'steer', 'msg_1/x.png'),
  paths.source(7),
  paths.summary(t),
  paths.summary(t, 2),
  'sk:acme.report/references/units.md',
  'ks:docs/guide.md',
])('%s is parsed and formatted unchanged, with and without a leading conv:', (path) => {
  for (const spelled of [path, `conv:${path}`]) {
    const parsed = parsePath(spelled);
    expect(parsed && formatPath(parsed)).toBe(path);
  }
});

test('a path accepts any conversation id that a client chose', () => {
  for (const conversation of ['alpha', '-V1StGXR8_Z5', 'conv_1']) {
    for (const local of [`ar:${t}.user.prompt`, `fi:${t}.outputs/a.csv`, `tc:${t}.tc_1.result`]) {
      const path = local.replace(':', `:${conversation}.`);
      const parsed = parsePath(path);
      expect(parsed).toMatchObject({ conversation, turn: t });
      expect(parsed && formatPath(parsed)).toBe(path);
      expect(parsePath(local)).not.toHaveProperty('conversation');
    }
    const shared = [`so:${conversation}.sources_pool[1]`, `ar:${conversation}.plan.latest:p`];
    for (const path of shared) expect(parsePath(path)).toMatchObject({ conversation });
  }
});

test('a path can name another conversation after its colon', () => {
  expect(parsePath(`ar:conv_9.${t}.user.prompt`)).toEqual({
    family: 'ar',
    conversation: 'conv_9',
    turn: t,
    rest: 'user.prompt',
  });
  expect(parsePath('so:conv_9.sources_pool[2]')).toEqual({
    family: 'so',
    conversation: 'conv_9',
    sids: [2],
  });
  expect(
    formatPath({ family: 'tc', conversation: 'conv_9', turn: t, call: 'tc_1', part: 'result' }),
  ).toBe(`tc:conv_9.${t}.tc_1.result`);
});

describe('selectors of sources', () => {
  test.each([
    ['1,3-5', [1, 3, 4, 5]],
    ['5-3', [3, 4, 5]],
    ['2:4', [2, 3, 4]],
    [' 4 , 1 , 4 ', [4, 1]],
    ['0-2', [1, 2]],
  ])('%s', (text, sids) => {
    expect(parseSelector(text)).toEqual(sids);
  });

  test.each(['', 'a', '1,', '1-2-3', '0', '-1'])('“%s” selects nothing', (text) => {
    expect(parseSelector(text)).toBeUndefined();
  });

  test('a range is capped, whatever its size', () => {
    expect(parseSelector('1-9999999')).toHaveLength(200);
  });
});

test.each([
  '',
  'ar:',
  'ar:user.prompt',
  'xx:turn_1.user.prompt',
  `fi:${t}.outputs/../../etc/passwd`,
  `fi:${t}.outputs//etc/./x`,
  `fi:${t}.secret/x`,
  `tc:${t}.tc_1.output`,
  `ar:${t}.user.prompt\n`.repeat(2),
  'sk:../x',
  `ar:${t}.${'x'.repeat(3_000)}`,
])('“%s” is not a path', (text) => {
  expect(parsePath(text)).toBeUndefined();
});

test('every text is either invalid or a path that can be written and parsed again', () => {
  const bits = fc.constantFrom(
    'ar:',
    'fi:',
    'tc:',
    'so:',
    'conv:',
    'conv_1.',
    'turn_1.',
    'files/',
    'x',
    '.',
    '/',
    '..',
    '[1-3]',
    'sources_pool',
    'tc_1',
    '.call',
    'plan.latest:',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(bits, { maxLength: 8 }).map((all) => all.join('')),
      ),
      (text) => {
        const path = parsePath(text);
        if (path) expect(parsePath(formatPath(path))).toEqual(path);
      },
    ),
  );
});
