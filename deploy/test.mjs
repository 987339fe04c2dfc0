import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireNode } from './require-node.mjs';
import { build, installPackages, root } from './steps.mjs';

/**
 * `npm test`: installs what the tests require, then runs all of them. Nothing is skipped: tests fail if something is missing.
 * The machine is prepared meanwhile; the tests that require it wait for a file with the exit code.
 */
await requireNode();
const folder = mkdtempSync(join(tmpdir(), 'timeloom-machine-'));
const prepared = join(folder, 'exit-code');
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const machine = spawn(process.execPath, [join(root, 'deploy/prepare-test-machine.mjs')], {
  stdio: 'inherit',
});
let tests;
machine.once('close', (code) => {
  writeFileSync(prepared, String(code ?? 1));
  if (code === 0) return;
  tests?.kill('SIGINT');
  process.exitCode = code ?? 1;
});
installPackages();
build();

const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const config = ['--root', '.', '--config', 'test/tools/vitest.config.ts'];
tests = spawn(process.execPath, [vitest, 'run', ...config, ...process.argv.slice(2)], {
  cwd: root,
  env: { ...process.env, TIMELOOM_TEST_MACHINE: prepared },
  stdio: 'inherit',
});
tests.once('close', (code) => {
  process.exitCode ||= code ?? 1;
});
