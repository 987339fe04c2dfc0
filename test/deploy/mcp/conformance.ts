import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { Scope } from '../../../runtime/base/scope.ts';
import { openConformanceServer } from './conformance-server.ts';
import { openRenamingProxy } from './renaming-proxy.ts';

// proves: mcp-server-conformance

const packages = [
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  '@modelcontextprotocol/inspector@2.12.0',
];
const revisions = ['2025-11-25', '2026-07-28'];

/**
 * The conformance suite of MCP and the command line of its Inspector, installed from npm into a temporary folder, against an
 * endpoint of a bundle. The suite has names of its own for what it asks for: a proxy translates them. What a server may leave out,
 * and this one does, is listed beside this file: anything else that fails, and anything listed that passes, ends with 1.
 */
async function main(): Promise<void> {
  await using scope = new Scope();
  const folder = mkdtempSync(join(tmpdir(), 'timeloom-mcp-'));
  scope.defer(async () => rmSync(folder, { recursive: true, force: true }));
  const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder];
  execFileSync('npm', [...install, ...packages], { stdio: ['ignore', 'ignore', 'inherit'] });
  const program = (path: string) => join(folder, 'node_modules/@modelcontextprotocol', path);

  const url = await openConformanceServer(scope);
  const proxy = scope.own(await openRenamingProxy(url, names));
  for (const revision of revisions) {
    await runSuite(program('conformance/dist/index.js'), { url: proxy.url, revision });
  }
  await inspect(program('inspector/clients/launcher/build/index.js'), url);
}

const prompts = [
  ...['test_simple_prompt', 'test_prompt_with_arguments', 'test_prompt_with_image'],
  'test_prompt_with_embedded_resource',
];
const kebab = (name: string) => name.replaceAll('_', '-');

/** The suite and the server disagree about the form of names only. */
const names = {
  toServer: (text: string) =>
    prompts
      .reduce((renamed, name) => renamed.replaceAll(name, kebab(name)), text)
      .replace(/\btest_/g, 'test.')
      .replaceAll('test://', 'ks:'),
  toClient: (text: string) =>
    prompts
      .reduce((renamed, name) => renamed.replaceAll(kebab(name), name), text)
      .replace(/\btest\.(?=[a-z])/g, 'test_')
      .replaceAll('"ks:', '"test://'),
};

type Suite = { readonly url: string; readonly revision: string };

const run = promisify(execFile);

async function runSuite(program: string, { url, revision }: Suite): Promise<void> {
  const expected = join(import.meta.dirname, `left-out-${revision}.yaml`);
  const args = [program, 'server', '--url', url, '--requirements', revision];
  const { stdout } = await run(process.execPath, [...args, '--expected-failures', expected]).catch(
    (failure) => {
      process.stdout.write(String(failure.stdout));
      throw new Error(`the conformance suite of ${revision} failed`, { cause: failure });
    },
  );
  process.stdout.write(stdout.slice(stdout.indexOf('=== SUMMARY ===')));
}

const Listed = z.object({ tools: z.array(z.looseObject({ name: z.string() })) });

/** The Inspector reads lists and calls a tool. */
async function inspect(program: string, url: string): Promise<void> {
  const ask = async (...args: readonly string[]) => {
    const target = [program, '--cli', url, '--transport', 'http'];
    const { stdout } = await run(process.execPath, [...target, ...args]);
    return JSON.parse(stdout) as unknown;
  };
  const { tools } = Listed.parse(await ask('--method', 'tools/list'));
  assert.ok(tools.some(({ name }) => name === 'test.simple_text'));
  const call = ['--method', 'tools/call', '--tool-name', 'test.simple_text'];
  assert.match(JSON.stringify(await ask(...call)), /simple text response/);
  assert.match(JSON.stringify(await ask('--method', 'prompts/list')), /test-simple-prompt/);
  const read = ['--method', 'resources/read', '--uri', 'ks:static-text'];
  assert.match(JSON.stringify(await ask(...read)), /static text resource/);
  process.stdout.write('the Inspector lists, calls and reads\n');
}

await main();
