import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDispatch } from '../../../../runtime/adapters/web/dispatch.ts';
import { createPages } from '../../../../runtime/adapters/web/pages.ts';
import { Scope } from '../../../../runtime/base/scope.ts';
import { manualClock } from '../../../../runtime/testing/clock.ts';
import { openTestNetwork } from './test-network.ts';
import { startSite } from './web-server.ts';

const { signal } = new AbortController();
const publicAddress = '93.184.215.14';
const privateAddresses = [['127.0.0.1'], ['169.254.169.254'], ['10.0.0.1'], ['::1'], ['fd00::1']];

let scope: Scope;
beforeEach(() => {
  scope = new Scope();
});
afterEach(() => scope[Symbol.asyncDispose]());

/** A server of this machine that must be reached only as the site of a public address. */
async function open(location: (port: number) => string = () => '/') {
  const paths: string[] = [];
  const site = scope.own(
    await startSite(({ url = '' }, response) => {
      paths.push(url);
      if (url === '/robots.txt') return void response.writeHead(404).end();
      if (url === '/away')
        return void response.writeHead(302, { location: location(site.port) }).end();
      response.writeHead(200, { 'content-type': 'text/plain' }).end('secret');
    }),
  );
  const pages = createPages({ clock: manualClock(), privateHosts: [] });
  return {
    paths,
    port: site.port,
    read: (path: string) => pages.read(`http://site.example:${site.port}${path}`, { signal }),
  };
}

// proves: web.private-addresses
test.each(privateAddresses)(
  'a name that is public for one request and %s for the next one is refused before it is connected to',
  async (address) => {
    using network = openTestNetwork({ 'site.example': [[publicAddress], [address]] });
    const { paths, read } = await open();
    await expect(read('/page')).rejects.toMatchObject({ code: 'address_refused' });
    expect(network.asked).toEqual(['site.example', 'site.example']);
    expect(network.reached).toEqual([publicAddress]);
    expect(paths).toEqual(['/robots.txt']);
  },
);

// proves: web.private-addresses
test('a connection is made to the address that was checked, whatever the name answers after that', async () => {
  const rebinds = [[publicAddress], [publicAddress], ['127.0.0.1']];
  using network = openTestNetwork({ 'site.example': rebinds });
  const { paths, read } = await open();
  expect(await read('/page')).toMatchObject({ text: 'secret' });
  expect(network.asked).toHaveLength(2);
  expect(network.reached).toEqual([publicAddress, publicAddress]);
  await expect(read('/page')).rejects.toMatchObject({ code: 'address_refused' });
  expect(network.reached).toHaveLength(2);
  expect(paths).toEqual(['/robots.txt', '/page']);
});

// proves: web.private-addresses
test('of a name with public and private addresses, only a public one is connected to', async () => {
  const answer = ['127.0.0.1', publicAddress, '169.254.169.254'];
  using network = openTestNetwork({ 'site.example': [answer] });
  const { read } = await open();
  expect(await read('/page')).toMatchObject({ text: 'secret' });
  expect(network.reached).toEqual([publicAddress, publicAddress]);
});

// proves: web.private-addresses
test.each([
  ['an address of this machine', (port: number) => `http://127.0.0.1:${port}/page`],
  ['a name of this machine', (port: number) => `http://inside.example:${port}/page`],
  ['a name that was public a moment ago', (port: number) => `http://turning.example:${port}/page`],
  ['its own name, which is private now', () => '/page'],
])('a redirect of a public site to %s is refused before it is followed', async (_, location) => {
  using network = openTestNetwork({
    'site.example': [[publicAddress], [publicAddress], ['127.0.0.1']],
    'inside.example': [['169.254.169.254']],
    'turning.example': [[publicAddress], ['127.0.0.1']],
  });
  const { paths, read } = await open(location);
  await expect(read('/away')).rejects.toMatchObject({ code: 'address_refused' });
  expect(new Set(network.reached)).toEqual(new Set([publicAddress]));
  // Each request that the server saw came over a connection to the public address.
  expect(paths).toHaveLength(network.reached.length);
  expect(paths).not.toContain('/page');
});

// proves: openai.dispatch
test('a dispatch URL whose name turns private is refused before anything is posted', async () => {
  using network = openTestNetwork({ 'site.example': [[publicAddress], ['127.0.0.1']] });
  const { paths, port } = await open();
  const url = `http://site.example:${port}/run`;
  const { post } = createDispatch({ urls: [url], privateHosts: [] });
  expect(await post(url, { body: '{}', headers: {}, signal })).toMatchObject({ status: 200 });
  await expect(post(url, { body: '{}', headers: {}, signal })).rejects.toMatchObject({
    code: 'address_refused',
  });
  expect(network.reached).toEqual([publicAddress]);
  expect(paths).toEqual(['/run']);
});
