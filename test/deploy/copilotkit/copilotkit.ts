import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Scope } from '../../../runtime/base/scope.ts';
import { openBrowser } from '../../e2e/browser.ts';
import { openServedAgent } from '../../runtime/gateway/endpoints/served-agent.ts';

// proves: endpoints.copilotkit

const packages = [
  ...['@copilotkit/react-core@1.74.0', '@copilotkit/runtime@1.74.0', '@ag-ui/client@0.0.59'],
  ...['react@19', 'react-dom@19', 'zod@3'],
];
const samples = join(import.meta.dirname, '../../guide/clients');
const answerMsMax = 120_000;

/**
 * The page and the runtime of CopilotKit from the guide, installed from npm into a temporary folder, talk to an agent: the answer
 * of a turn with a tool shows in Chromium, and so does that of the next one. Ends with 1 when anything fails.
 */
async function main(): Promise<void> {
  await using scope = new Scope();
  const folder = install(scope);
  // Both find their packages, React among them, in the folder.
  for (const sample of ['copilotkit-page.jsx', 'copilotkit-runtime.mjs']) {
    copyFileSync(join(samples, sample), join(folder, sample));
  }
  const served = scope.own(
    await openServedAgent([
      { call: { tool: 'math.add', input: { a: 1, b: 2 } } },
      { answer: 'It is 3.' },
      { answer: 'And that is 6.' },
    ]),
  );
  const page = await scope.own(await openBrowser()).newPage();
  await page.goto(await openPage(scope, { folder, server: served.url('/').replace(/\/$/, '') }));
  for (const [question, answer] of [
    ['What is 1 + 2?', 'It is 3.'],
    ['Twice that?', 'And that is 6.'],
  ] as const) {
    await page.fill('textarea', question);
    await page.press('textarea', 'Enter');
    await page.getByText(answer).waitFor({ timeout: answerMsMax });
  }
  const list: unknown = await (await fetch(served.url('/conversations/dev/dev'))).json();
  assert.equal((list as { items: unknown[] }).items.length, 1);
  process.stdout.write('CopilotKit: two turns of one conversation\n');
}

function install(scope: Scope): string {
  const folder = mkdtempSync(join(tmpdir(), 'timeloom-copilotkit-'));
  scope.defer(async () => rmSync(folder, { recursive: true, force: true }));
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder];
  execFileSync('npm', [...args, ...packages], { stdio: ['ignore', 'ignore', 'inherit'] });
  return folder;
}

type Serving = { readonly folder: string; readonly server: string };

/** Serves the page in a process of its own, and returns its address. */
async function openPage(scope: Scope, { folder, server }: Serving): Promise<string> {
  const program = join(import.meta.dirname, 'serve-page.mjs');
  const child = spawn(process.execPath, [program, server, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, COPILOTKIT_TELEMETRY_DISABLED: 'true', DO_NOT_TRACK: '1' },
  });
  scope.defer(async () => {
    child.stdin.end();
    await once(child, 'exit');
  });
  const { value: port } = await createInterface({ input: child.stdout })
    [Symbol.asyncIterator]()
    .next();
  return `http://127.0.0.1:${port}`;
}

await main();
