import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renumberCitations } from '../../../../runtime/channels/citations/citation-rewrite.ts';
import { toSidecar } from '../../../../runtime/channels/citations/citation-sidecar.ts';
import { citationsIn } from '../../../../runtime/channels/citations/citations.ts';

// proves: sources.sidecar

test('tokens in the strings of a value are listed by JSON pointer, and the strings do not change', () => {
  const output = { verdict: 'ship [[S:2]]', why: ['x', { 'a/b~c': 'y [[S:1,3]]' }], n: 1 };
  expect(toSidecar(output)).toEqual({
    value: output,
    citations: [
      { path: '/verdict', sids: [2] },
      { path: '/why/1/a~1b~0c', sids: [1, 3] },
    ],
  });
});

test('the list _citations of a value takes precedence, is removed, and may only point to its strings', () => {
  const carried = [
    { path: '/verdict', sids: [2, 2, -1, 'x'] },
    { path: '/why/0', sids: [5] },
    { path: '/n', sids: [1] },
    { path: '/nowhere', sids: [1] },
    { path: 'verdict', sids: [1] },
    'rubbish',
    null,
  ];
  const value = { verdict: 'ship [[S:9]]', why: ['x'], n: 1 };
  expect(toSidecar({ ...value, _citations: carried })).toEqual({
    value,
    citations: [
      { path: '/verdict', sids: [2] },
      { path: '/why/0', sids: [5] },
    ],
  });
});

test('every JSON value has a sidecar, and every pointer in it leads to the citing string', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      const sidecar = toSidecar(JSON.parse(JSON.stringify({ json, x: 'a [[S:1]]' })));
      expect(sidecar.citations).toContainEqual({ path: '/x', sids: [1] });
    }),
  );
});

test('renumbered citations have the new numbers in any context; unknown ones stay', () => {
  const toSid = (sid: number) => (sid <= 5 ? sid + 10 : undefined);
  expect(
    renumberCitations('a [[S:1]] b [[ s : 2-3 ]] c [[S:9]] `[[S:1]]` [[USAGE:4,9]]', toSid),
  ).toBe('a [[S:11]] b [[S:12,13]] c [[S:9]] `[[S:1]]` [[USAGE:14]]');
  const piece = fc.constantFrom('[[S:1]]', '[[S:2-4]]', '[', ']', ' x ', '`', '\n');
  const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (any) => {
      const sids = citationsIn(renumberCitations(any, toSid));
      expect(sids).toEqual(citationsIn(any).map((sid) => sid + 10));
    }),
  );
});
