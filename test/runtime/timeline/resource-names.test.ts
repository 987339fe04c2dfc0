import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatPath, parsePath } from '../../../runtime/timeline/paths.ts';
import { parseResourceName, toResourceName } from '../../../runtime/timeline/resource-names.ts';

const owner = { tenant: 'acme', project: 'ops', user: 'ann' };

// proves: paths.resource-names
test('the files of a turn have a name that holds outside their conversation', () => {
  const named = (rest: string) => toResourceName(owner, `fi:conv_a.turn_1.${rest}`);
  const base = 'ef:acme:ops:chatbot:main:ann:conv_a:turn_1';
  expect(named('outputs/a/report.pdf')).toBe(`${base}:assistant:outputs/a/report.pdf`);
  expect(named('files/main.py')).toBe(`${base}:assistant:files/main.py`);
  expect(named('user.attachments/a.csv')).toBe(`${base}:user:a.csv`);
  expect(named('external.followup.attachments/msg_1/a.csv')).toBe(
    `${base}:user:external/followup/attachments/msg_1/a.csv`,
  );
  expect(toResourceName(owner, 'ar:turn_1.user.prompt')).toBeUndefined();
});

// proves: paths.resource-names
test('every written name is read back, for any user', () => {
  const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
  const rest = fc.constantFrom(
    ...['outputs/a: b.pdf', 'files/x.py', 'user.attachments/a.csv'],
    'external.form.attachments/msg_1/a.csv',
  );
  fc.assert(
    fc.property(fc.record({ tenant: part, project: part, user: part }), rest, (whose, tail) => {
      const path = `fi:conv_a.turn_1.${tail}`;
      const name = toResourceName(whose, path) ?? '';
      expect(parseResourceName(name)).toEqual({ ...whose, path });
    }),
  );
});

// proves: paths.resource-names
test('a name of any stage is a path, and one that leaves its folder is none', () => {
  const name = (path: string, role = 'assistant') =>
    parsePath(`ef:acme:ops:chatbot:prod:ann:conv_a:turn_1:${role}:${path}`);
  const found = name('outputs/report.pdf');
  expect(found && formatPath(found)).toBe('fi:conv_a.turn_1.outputs/report.pdf');
  expect(name('outputs/../secret')).toBeUndefined();
  expect(name('../a.csv', 'user')).toBeUndefined();
  expect(name('report.pdf', 'system')).toBeUndefined();
  expect(parsePath('ef:acme:ops:chatbot:prod:ann:conv_a')).toBeUndefined();
});
