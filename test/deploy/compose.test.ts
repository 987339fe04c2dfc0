import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { Gateway } from '../../runtime/cli/config/gateway-schema.ts';
import { composeText, deployFolder, readCompose, serviceOf } from './compose.ts';

// proves: deploy.compose

const { services, volumes } = readCompose();
const docs = (name: string) => readFileSync(join(deployFolder, '../docs', name), 'utf8');
const example = parseEnv(readFileSync(join(deployFolder, '.env.example'), 'utf8'));
const dockerfile = readFileSync(join(deployFolder, 'server.Dockerfile'), 'utf8');

test('the server reads every variable that it gets', () => {
  const image = [...dockerfile.matchAll(/\b(TIMELOOM_\w+)=/g)].map(([, name = '']) => name);
  const given = [...Object.keys(serviceOf('server').environment), ...image];
  const reference = docs('reference/configuration.md');
  const table = reference.slice(
    reference.indexOf('## Environment'),
    reference.indexOf('## assembly'),
  );
  // The AWS clients read their keys themselves.
  const read = new Set([
    'AWS_SECRET_ACCESS_KEY',
    ...(table.match(/\b[A-Z][A-Z0-9_]{4,}\b/g) ?? []),
  ]);
  expect(given.length).toBeGreaterThan(10);
  expect(given.filter((name) => !read.has(name))).toEqual([]);
});

test('the variables of compose.yaml are those of .env.example', () => {
  const asked = [...composeText().matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);
  expect([...new Set(asked)].toSorted()).toEqual(Object.keys(example).toSorted());
});

test('secrets have no defaults and are required', () => {
  const required = [...composeText().matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name);
  const secret = Object.keys(example).filter((name) => /SECRET|PASSWORD/.test(name));
  expect(secret.filter((name) => !required.includes(name))).toEqual([]);
  expect(required.filter((name) => example[name] !== '')).toEqual([]);
});

test('every image is pinned, and its own images are built from this checkout', () => {
  for (const { image, build } of Object.values(services)) {
    expect(image).toMatch(build ? /^timeloom-\w+:\w/ : /:v?\d+\.\d+/);
    expect(build?.dockerfile ?? 'deploy/server.Dockerfile').toBe('deploy/server.Dockerfile');
    if (build?.target) expect(dockerfile).toContain(` AS ${build.target}\n`);
  }
  expect(dockerfile).toMatch(/^ARG NODE=node:\d+\.\d+\.\d+-bookworm-slim$/m);
});

test('the server waits for healthy services, and only the server publishes a port, on this machine', () => {
  for (const [name, { condition }] of Object.entries(serviceOf('server').depends_on)) {
    expect(condition === 'service_healthy').toBe(serviceOf(name).healthcheck !== undefined);
  }
  const open = Object.entries(services).filter(([, { ports }]) => ports.length > 0);
  expect(open.map(([name]) => name)).toEqual(['server']);
  expect(serviceOf('server').ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
});

test('persistent data is in volumes, and the guide says how to back up each', () => {
  const used = Object.values(services)
    .flatMap((service) => service.volumes)
    .map((mount) => mount.split(':')[0] ?? '')
    .filter((source) => /^\w+$/.test(source));
  expect(Object.keys(volumes).toSorted()).toEqual(used.toSorted());
  const page = docs('guide/docker.md');
  expect(used.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('its descriptors are valid', () => {
  const gateway = readFileSync(join(deployFolder, 'config/gateway.yaml'), 'utf8');
  expect(Gateway.safeParse(parse(gateway)).error).toBeUndefined();
});
