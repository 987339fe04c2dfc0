import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sourceKey } from '../../../runtime/timeline/source-key.ts';

// proves: sources.one-address

test('different spellings of one web address have the same key', () => {
  const key = sourceKey('https://a.org/x?b=2&a=1');
  for (const url of [
    ' HTTPS://A.org:443/x/?a=1&b=2#top',
    'https://a.org/x?utm_source=mail&b=2&a=1&gclid=z',
    'https://a.org/x///?a=1&b=2',
  ]) {
    expect(sourceKey(url)).toBe(key);
  }
});

test('addresses that may be different pages have different keys', () => {
  const urls = [
    'https://a.org/x',
    'https://a.org/X',
    'http://a.org/x',
    'https://a.org/x?next=/',
    'https://a.org/x?next=',
    'https://a.org/#/one',
    'https://a.org/#/two',
    'fi:turn_1.outputs/a#b',
    'fi:turn_1.outputs/a',
    'not a url',
  ];
  expect(new Set(urls.map(sourceKey)).size).toBe(urls.length);
});

test('the key of a key is the key itself', () => {
  const host = fc.constantFrom('a.org', 'A.org:8080', 'xn--bcher-kva.example', 'bücher.example');
  const path = fc.array(fc.constantFrom('/', 'x', '%20', ' ', 'ü', '..', '+', '%7e'));
  const query = fc.array(fc.constantFrom('a=1', 'b=x y', 'b=%2B', 'utm_a=1', '&', '=', 'c', '/'));
  const hash = fc.constantFrom('', '#', '#top', '#/page', '#!x');
  fc.assert(
    fc.property(fc.record({ host, path, query, hash }), (url) => {
      const asked = `${url.path.join('')}?${url.query.join('&')}`;
      const key = sourceKey(`https://${url.host}/${asked}${url.hash}`);
      expect(sourceKey(key)).toBe(key);
    }),
  );
  fc.assert(
    fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
      expect(sourceKey(sourceKey(url))).toBe(sourceKey(url));
    }),
  );
});
