import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { isFault } from '../../../../runtime/base/fault.ts';
import {
  type Config,
  type Environment,
  readConfig,
} from '../../../../runtime/cli/config/config.ts';

/** The descriptor folder of the current test. */
export let dir = '';

/** Creates a separate folder for each test of the calling file. */
export function inFolder(): void {
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'timeloom-config-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));
}

export type Files = Readonly<Record<string, string>>;

export function write(files: Files): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  for (const name of Object.keys(files)) chmodSync(join(dir, name), 0o600);
}

/** The configuration of these files, with those written before, and these variables. */
export function config(files: Files = {}, env: Environment = {}): Config {
  write(files);
  return readConfig({ TIMELOOM_CONFIG_DIR: dir, ...env });
}

/** The problems, one per line, without the folder. */
export function problems(files: Files, env: Environment = {}): readonly string[] {
  try {
    config(files, env);
  } catch (error) {
    if (!isFault(error)) throw error;
    expect(error.code).toBe('CONFIG_INVALID');
    const [, ...lines] = error.message.split('\n');
    return lines.map((line) => line.trim().replaceAll(`${dir}/`, ''));
  }
  return [];
}
