import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { Scope } from '../../../runtime/base/scope.ts';
import { samplesIn } from '../../guide/clients/guide-samples.ts';
import { guideAddress, openSampleServer, sampleAnswer } from '../../guide/clients/sample-server.ts';

// proves: endpoints.guides-python

/** What each sample has to have installed. */
const packages: Readonly<Record<string, string>> = {
  'openai-client.py': 'openai',
  'langchain-client.py': 'langchain-openai',
  'langgraph-client.py': 'langgraph-sdk',
  'mcp-client.py': 'mcp',
  'fastmcp-client.py': 'fastmcp',
};
const installMsMax = 600_000;
const sampleMsMax = 120_000;
const run = promisify(execFile);

/**
 * Each Python sample of the guides for clients, with its official package in an environment of its own, against a server. Packages
 * come from the index that pip is configured for (`pip config`, `PIP_INDEX_URL`). Ends with 1 if a package cannot be
 * installed, or a sample fails or does not print the answer.
 */
async function main(): Promise<void> {
  await using scope = new Scope();
  const folder = mkdtempSync(join(tmpdir(), 'timeloom-python-'));
  scope.defer(async () => rmSync(folder, { recursive: true, force: true }));
  const server = scope.own(await openSampleServer());
  const failed: string[] = [];
  for (const { file, text } of samplesIn('python')) {
    try {
      const python = await install(join(folder, basename(file)), packages[basename(file)]);
      const code = text.replaceAll(guideAddress, server.url);
      const { stdout } = await run(python, ['-c', code], { timeout: sampleMsMax });
      assert.ok(stdout.includes(sampleAnswer), stdout);
      process.stdout.write(`${file}: ${sampleAnswer}\n`);
    } catch (error) {
      failed.push(file);
      process.stdout.write(`${file} failed: ${String(error)}\n`);
    }
  }
  if (failed.length > 0) process.exitCode = 1;
}

/** An environment with the package, and what it needs. Returns its Python. */
async function install(folder: string, name: string | undefined): Promise<string> {
  if (name === undefined) throw new Error('add the package of this sample to `packages`');
  execFileSync('python3', ['-m', 'venv', folder]);
  const python = join(folder, 'bin/python');
  const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', name];
  await run(python, args, { timeout: installMsMax });
  return python;
}

await main();
