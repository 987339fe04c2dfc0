import { expect, test } from 'vitest';
import { projectFiles } from './files.ts';

/** Words that have no meaning in this field, and what plain technical English says instead. Names in code count too. */
const dialect: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(?:re)?told\b/i, '“reported”, “sent”, “shown”, or name who reads it'],
  [/\bwhoever\b/i, '“a client that …”, “the caller”, “users who …”'],
  [/\bstrangers?\b/i, '“anonymous client”, “unknown key”, “another user”'],
  [/\bdoors?\b/i, '“gateway”, “endpoint”, “transport”'],
  [
    /(?<!\bthere )\b(?:is|are) no (?!(?:longer|more|less|later|earlier|such)\b)[a-z]/i,
    '“is not a …”',
  ],
  [/\bso many\b/i, '“the given number of”, “too many”'],
  [/\bin earnest\b/i, '“in production”'],
  [/\bby and large\b/i, '“mostly”'],
  [/\bfor ever\b/i, '“indefinitely”'],
  [/\banew\b/i, '“again”'],
  [/\bcomes? in here\b/i, '“is allowed”'],
];

const texts = ['.md', '.ts', '.tsx', '.mjs', '.js', '.py', '.css', '.sql', '.yaml', '.html'];
/** Recorded logs, and migrations, which never change once they are released. */
const exempt = /^test\/(?:golden|architecture\/vocabulary)|^runtime\/adapters\/sql\/migrations\//;

// proves: house.vocabulary
test('texts and names use plain technical English', () => {
  const found = texts
    .flatMap((ending) => projectFiles(ending))
    .filter(({ file }) => !exempt.test(file))
    .flatMap(({ file, text }) =>
      text
        .split('\n')
        .flatMap((line, n) => findings(line).map((each) => `${file}:${n + 1}: ${each}`)),
    );
  expect(found).toEqual([]);
});

test('a word of the dialect is found, and its plain form is not', () => {
  expect(findings('The client is told so.')).toHaveLength(1);
  expect(findings('the body is no JSON')).toHaveLength(1);
  expect(findings('The lease is no longer held, and there are no rows.')).toEqual([]);
});

function findings(line: string): readonly string[] {
  return dialect.flatMap(([pattern, instead]) => {
    const [word] = pattern.exec(line) ?? [];
    return word === undefined ? [] : [`“${word}”: use ${instead}`];
  });
}

/** Grammatical roles instead of domain roles. `Sent` is public in the SDK. */
const participle =
  /\b(?:type|class|interface) (Asked|Done|Given|Held|Kept|Known|Made|Meant|Opened|Own|Said|Shown|Stored|Taken|Told|Wanted)\b/;

// proves: house.vocabulary
test('no type is named after a participle alone', () => {
  const found = projectFiles('.ts')
    .filter(({ file }) => /^(?:runtime|supervisor)\//.test(file))
    .flatMap(({ file, text }) =>
      text.split('\n').flatMap((line) => (participle.test(line) ? [`${file}: ${line}`] : [])),
    );
  expect(found).toEqual([]);
});
