import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  citationsIn,
  createCitationReplacer,
  replaceCitations,
} from '../../../../runtime/channels/citations/citations.ts';

// proves: channels.citations

const resolve = (sid: number) =>
  sid <= 9 ? { title: `T${sid}`, url: `https://e.org/${sid}` } : undefined;

test('citations become links, in the order of their sources', () => {
  expect(replaceCitations('a [[S:1]], b [[S:3,1]] c [[S:2-4]].', resolve)).toBe(
    'a [T1](https://e.org/1), b [T3](https://e.org/3) [T1](https://e.org/1) c ' +
      '[T2](https://e.org/2) [T3](https://e.org/3) [T4](https://e.org/4).',
  );
});

test('spelling variants are accepted: case, blanks, full width, dashes, reversed and doubled ranges', () => {
  for (const token of [
    '[[s: 1 , 2]]',
    '［［S：1、2］］',
    '【【S：1，2】】',
    '[[S:2–1]]',
    '[[ S : 1,2,1 ] ]',
  ]) {
    const links = replaceCitations(token, resolve).split(' ').sort();
    expect(links).toEqual(['[T1](https://e.org/1)', '[T2](https://e.org/2)']);
  }
});

test('unknown sources and usage tokens are removed; a huge range is cheap', () => {
  expect(replaceCitations('a[[S:77]] b[[USAGE:1,2]] [[S:1-999999999]]', resolve)).toMatch(
    /^a b (\[T\d\]\(https:\/\/e\.org\/\d\) ?){9}$/,
  );
  expect(citationsIn('[[S:1-999999999]]')).toHaveLength(50);
});

test('nothing is replaced in code', () => {
  const text = 'so `[[S:1]]`\n```\n[[S:1]]\n```\n';
  expect(replaceCitations(text, resolve)).toBe(text);
  expect(citationsIn(`${text}[[S:2]] [[usage:3]]`)).toEqual([2, 3]);
});

test('text that is not a token is kept, and a token after it is found', () => {
  expect(replaceCitations('[[[S:1]] [[X:1]] [[S:]] [a](b) [[S:x]]', resolve)).toBe(
    '[[T1](https://e.org/1) [[X:1]]  [a](b) [[S:x]]',
  );
});

test('titles and addresses cannot break out of the link', () => {
  const evil = () => ({ title: 'a](b) `<x>`\n"', url: 'https://e.org/(x) y' });
  expect(replaceCitations('[[S:1]]', evil)).toBe(
    '[a\\](b) \\`\\<x\\>\\` "](https://e.org/%28x%29%20y)',
  );
  const script = () => ({ title: 'a', url: 'java\tscript:alert(1)' });
  expect(replaceCitations('[[S:1]]', script)).toBe('a');
  const html = createCitationReplacer({ resolve: evil, format: 'html' });
  expect(html.push('[[S:1]]')).toBe(
    '<sup class="cite" data-sids="1"><a href="https://e.org/(x) y" title="a](b) `&#60;x&#62;` &#34;">1</a></sup>',
  );
});

// proves: canvas.citations
test('in HTML, citations in text become links, and tags, comments, scripts and styles do not change', () => {
  const sup = '<sup class="cite" data-sids="1"><a href="https://e.org/1" title="T1">1</a></sup>';
  const token = '[[S:1]]';
  const kept = [
    `<a title="> ${token}" b='>${token}' c = ">${token}" d=">"${token}>`,
    `<i x=a"b${token}>`,
    `<p ="${token}>`,
    `<br/${token}/>`,
    `<!-- > ${token} -- ->${token}-->`,
    `<!doctype ${token}>`,
    `<?php ${token}>`,
    `</ ${token}>`,
    `<style>p{content:"${token}"}</b ${token}="</styles>${token}</STYLE >`,
    `<script>if (a<b) "${token}"; "</" + ${token}</script\n>`,
    `<title>a<b title="${token}</title>`,
  ];
  for (const html of kept) {
    expect(replaceCitations(`${html}${token}`, resolve, 'html')).toBe(`${html}${sup}`);
    expect(citationsIn(`${html}[[S:2]]`, 'html')).toEqual([2]);
  }
  for (const text of ['1 < 2 ', 'a<b>`c` ', '<p>', '< ', '<1>', '</p><<b>', '&lt;']) {
    expect(replaceCitations(`${text}${token}`, resolve, 'html')).toBe(`${text}${sup}`);
  }
});

test('JSON is not changed', () => {
  const json = createCitationReplacer({ resolve, format: 'json' });
  expect(json.push('{"a":"[[S:1]]') + json.end()).toBe('{"a":"[[S:1]]');
});

test('only text that may become a token is held back', () => {
  const replacer = createCitationReplacer({ resolve });
  expect(replacer.push('a [')).toBe('a ');
  expect(replacer.push('b](c) [[S:')).toBe('[b](c) ');
  expect(replacer.push('1]] [')).toBe('[T1](https://e.org/1) ');
  expect(replacer.end()).toBe('[');
});

test.each(['markdown', 'html'] as const)(
  'any split of a text in %s gives the same result',
  (format) => {
    const piece = fc.constantFrom(
      '[[S:1]]',
      '[[USAGE:1]]',
      '[',
      '[[',
      ']',
      ']]',
      'S',
      ':',
      '1',
      '-',
      ' ',
      '`',
      '<',
      '>',
      'a="',
      '<!--',
      '<script>',
      '</script>',
      '```',
      '\n',
      'x',
    );
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 7 }), (whole, size) => {
        const replacer = createCitationReplacer({ resolve, format });
        let out = '';
        for (let i = 0; i < whole.length; i += size) out += replacer.push(whole.slice(i, i + size));
        expect(out + replacer.end()).toBe(replaceCitations(whole, resolve, format));
      }),
    );
  },
);
