import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { openMemoryBlobStore } from '../adapters/memory/blob-store.ts';
import { openModel } from '../adapters/models/open-models.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { isFault } from '../base/fault.ts';
import { silentLog } from '../base/log.ts';
import { Scope } from '../base/scope.ts';
import { type Config, readConfig } from './config.ts';
import { openSandbox } from './open-sandbox.ts';

type Finding = { readonly what: string; readonly ok: boolean; readonly says: string };

/** `timeloom doctor`: looks at everything a turn needs, tries the sandbox for real, and names what to do. */
export async function doctor(
  args: readonly string[],
  { signal }: { signal: AbortSignal },
): Promise<number> {
  const config = readConfig();
  const findings = [
    { what: 'node', ok: true, says: process.version },
    await dataDir(config),
    await model(config),
    ...(await programs(config, signal)),
  ];
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify(findings)}\n`);
  else
    for (const { what, ok, says } of findings)
      process.stdout.write(`${ok ? '✓' : '✗'} ${what.padEnd(10)} ${says}\n`);
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

async function dataDir({ dataDir: dir }: Config): Promise<Finding> {
  try {
    await mkdir(dir, { recursive: true });
    await access(dir, constants.W_OK);
    return { what: 'data', ok: true, says: dir };
  } catch {
    return {
      what: 'data',
      ok: false,
      says: `${dir} cannot be written: make it writable or set TIMELOOM_DATA_DIR`,
    };
  }
}

async function model(config: Config): Promise<Finding> {
  if (config.model === undefined) {
    return {
      what: 'model',
      ok: false,
      says: 'none: set TIMELOOM_MODEL, for example anthropic:claude-sonnet-4-5',
    };
  }
  try {
    const { anthropicApiKey, openaiApiKey } = config;
    await openModel(config.model, {
      ...(anthropicApiKey === undefined ? {} : { anthropicApiKey }),
      ...(openaiApiKey === undefined ? {} : { openaiApiKey }),
    });
    return { what: 'model', ok: true, says: config.model };
  } catch (error) {
    if (!isFault(error)) throw error;
    return { what: 'model', ok: false, says: error.message };
  }
}

async function programs(
  { execMode, dockerHost }: Config,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  await using scope = new Scope();
  signal.throwIfAborted();
  const blobs = scope.own(openMemoryBlobStore());
  const { sandbox, refusal, tried } = await openSandbox({
    ...{ mode: execMode, dockerHost, blobs, clock: systemClock, log: silentLog, scope },
  });
  const ok = sandbox !== undefined || execMode === 'off';
  const notes = tried.map((says) => ({ what: 'tried', ok: true, says }));
  return [...notes, { what: 'programs', ok, says: sandbox?.backend ?? refusal ?? 'switched off' }];
}
