import { pingClamd } from '../../../adapters/clamav/ping.ts';
import type { Config } from '../../config/config.ts';
import { type Finding, runCheck } from './doctor-finding.ts';

/** Checks that clamd answers. Without clamd, reports a finding only with jwt. */
export async function checkAntivirus({ antivirus, auth }: Config): Promise<readonly Finding[]> {
  if (antivirus === undefined) {
    const says = 'off: files are accepted without a virus scan (attachments.antivirus)';
    return auth.mode === 'jwt' ? [{ what: 'antivirus', ok: true, says }] : [];
  }
  const where = 'path' in antivirus ? antivirus.path : `${antivirus.host}:${antivirus.port}`;
  const check = async () => {
    await pingClamd(antivirus);
    return `clamd answers at ${where}`;
  };
  return [await runCheck('antivirus', check)];
}
