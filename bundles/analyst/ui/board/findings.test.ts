import { expect, test } from 'vitest';
import { toFindings } from './findings.js';

const text =
  '{"label":"Wettest","value":"284.5 mm","tone":"rain","series":[1,"x",2]}\nbroken\n{"value":7,"tone":"odd"}\n{"label":"half';

test('the board shows each finding once its line is complete, and ignores invalid lines', () => {
  const shown = [
    { label: 'Wettest', value: '284.5 mm', note: '', tone: 'rain', series: [1, 2] },
    { label: '', value: '7', note: '', tone: 'plain', series: [] },
  ];
  expect(toFindings(text, { whole: false })).toEqual(shown);
  expect(toFindings(text, { whole: true })).toEqual(shown);
  expect(toFindings('{"label":"a"}', { whole: false })).toEqual([]);
  expect(toFindings('{"label":"a"}', { whole: true })).toHaveLength(1);
});
