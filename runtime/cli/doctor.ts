import { parseArgs } from 'node:util';
import { openMemoryBlobStore } from '../adapters/memory/blob-store.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { randomIds } from '../adapters/system/ids.ts';
import { Fault } from '../base/fault.ts';
import { silentLog } from '../base/log.ts';
import { Scope } from '../base/scope.ts';
import { assertRoom } from '../engine/prompt.ts';
import type { AgentSettings } from '../sdk/agent-settings.ts';
import { type Config, readConfig } from './config.ts';
import { findPlaces } from './doctor-places.ts';
import { type Finding, finding } from './finding.ts';
import { openModels } from './models.ts';
import { openBundles } from './open-bundles.ts';
import { openSandbox } from './open-sandbox.ts';
import { platformTools } from './platform-tools.ts';

/** `timeloom doctor`: looks at everything a turn needs, tries the sandbox for real, and names what to do. */
export async function doctor(
  args: readonly string[],
  { signal }: { signal: AbortSignal },
): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean' } } });
  const config = readConfig();
  const findings = [
    { what: 'node', ok: true, says: process.version },
    ...(await findPlaces(config)),
    ...(await bundlesAndModels(config, signal)),
    ...(await programs(config)),
  ];
  if (values.json === true) process.stdout.write(`${JSON.stringify(findings)}\n`);
  else
    for (const { what, ok, says } of findings)
      process.stdout.write(`${ok ? '✓' : '✗'} ${what.padEnd(10)} ${says}\n`);
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

async function bundlesAndModels(
  config: Config,
  signal: AbortSignal,
): Promise<readonly [Finding, Finding]> {
  await using scope = new Scope();
  const blobs = scope.own(openMemoryBlobStore());
  const parts = { sandbox: undefined, refusal: undefined, blobs };
  const platform = platformTools({ ...parts, ids: randomIds, clock: systemClock });
  const agents: AgentSettings[] = [];
  const found = await finding('bundles', async () => {
    const bundles = await openBundles(config, { platform, log: silentLog, scope, signal });
    agents.push(...bundles.flatMap((bundle) => bundle.agents));
    for (const agent of agents) assertRoom(agent);
    return bundles.map(({ id, version }) => `${id} ${version}`).join(', ');
  });
  const model = await finding('model', async () => {
    await openModels(config, agents);
    const named = [config.model ?? [], ...agents.map(({ models }) => models.decision ?? [])].flat();
    if (named.length === 0) throw new Fault('MODEL_NOT_CONFIGURED');
    return [...new Set(named)].join(', ');
  });
  return [found, model];
}

async function programs({ execMode, dockerHost }: Config): Promise<readonly Finding[]> {
  await using scope = new Scope();
  const blobs = scope.own(openMemoryBlobStore());
  const { sandbox, refusal, tried } = await openSandbox({
    ...{ mode: execMode, dockerHost, blobs, clock: systemClock, log: silentLog, scope },
  });
  const ok = sandbox !== undefined || execMode === 'off';
  const notes = tried.map((says) => ({ what: 'tried', ok: true, says }));
  return [...notes, { what: 'programs', ok, says: sandbox?.backend ?? refusal ?? 'switched off' }];
}
