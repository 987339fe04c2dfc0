import { expect, test } from 'vitest';
import { excerptOf } from '../../../../runtime/timeline/search/excerpt.ts';

const marked = (text: string, searched: string) => {
  const { text: cut, marks } = excerptOf(text, searched);
  return marks.map(({ from, to }) => cut.slice(from, to));
};

// proves: workbench.search
test('an excerpt stands around the words that were searched for, in one line, and marks them', () => {
  const text = `${'Before that, much else was said. '.repeat(9)}Bake the\nSourdough in Zürich. ${'And more. '.repeat(30)}`;
  const { text: cut } = excerptOf(text, 'sourd zurich');
  expect(cut).toMatch(/^….{1,60}Bake the Sourdough in Zürich\. .*…$/);
  expect(cut.length).toBeLessThanOrEqual(162);
  expect(marked(text, 'sourd zurich')).toEqual(['Sourdough', 'Zürich']);
  expect(marked('Zu\u0308rich', 'ZURICH')).toEqual(['Zu\u0308rich']);
});

test('an excerpt of a short text is the whole text', () => {
  expect(excerptOf('Bread', 'tea')).toEqual({ text: 'Bread', marks: [] });
});
