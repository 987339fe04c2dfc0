import { openMemoryBlobStore } from '../../../adapters/memory/blob-store.ts';
import { systemClock } from '../../../adapters/system/clock.ts';
import { silentLog } from '../../../base/log.ts';
import { Scope } from '../../../base/scope.ts';
import type { Config } from '../../config/config.ts';
import { openSandbox } from '../../sandbox/open-sandbox.ts';
import { toLibrariesFinding } from './check-libraries.ts';
import type { Finding } from './doctor-finding.ts';

/** Runs a program in the sandbox of this installation. */
export async function checkPrograms(config: Config): Promise<readonly Finding[]> {
  const { execMode, dockerHost, execLimits, fargate } = config;
  await using scope = new Scope();
  const blobs = scope.own(openMemoryBlobStore());
  const { sandbox, libraries, refusal, tried } = await openSandbox({
    ...{
      mode: execMode,
      dockerHost,
      limits: execLimits,
      hidden: config.ownFolders,
      fargate,
      blobs,
      clock: systemClock,
      log: silentLog,
      scope,
    },
  });
  const ok = sandbox !== undefined || execMode === 'off';
  const notes = tried.map((says) => ({ what: 'tried', ok: true, says }));
  const says = sandbox?.backend ?? refusal ?? 'switched off';
  const found = libraries ? [toLibrariesFinding(libraries, says)] : [];
  return [...notes, { what: 'programs', ok, says }, ...found];
}
