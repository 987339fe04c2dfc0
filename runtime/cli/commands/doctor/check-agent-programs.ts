import { probeProgram } from '../../../adapters/acp/probe-program.ts';
import { createEgressProxy } from '../../../adapters/egress/open-egress.ts';
import { probeEgress } from '../../../adapters/egress/probe-egress.ts';
import { systemClock } from '../../../adapters/system/clock.ts';
import { silentLog } from '../../../base/log.ts';
import { Refusal } from '../../../base/refusal.ts';
import { Scope } from '../../../base/scope.ts';
import type { Config } from '../../config/config.ts';
import { openAgentPlace, workspacesOf } from '../../sandbox/open-agents.ts';
import { type Finding, runCheck } from './doctor-finding.ts';

type Settings = Pick<Config, 'agentPrograms' | 'dataDir' | 'dockerHost'>;

/** Starts each agent program in its sandbox, and checks that its model and the hosts of its operator can be reached. */
export async function checkAgentPrograms(
  { agentPrograms, dataDir, dockerHost }: Settings,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  if (!agentPrograms) return [];
  await using scope = new Scope();
  const log = silentLog;
  const root = workspacesOf(agentPrograms, dataDir);
  const place = async () => {
    const sandbox = await openAgentPlace(agentPrograms, { dockerHost, clock: systemClock, log });
    return { sandbox: scope.own(sandbox), egress: createEgressProxy({ log }), root };
  };
  const opened = place();
  opened.catch(() => undefined);
  const findings: Finding[] = [];
  for (const [name, program] of Object.entries(agentPrograms.programs)) {
    const check = async () => {
      const probed = await probeProgram(program, await opened, signal);
      const problems = await probeEgress(program.egress);
      const { name: title, version, continuesSessions } = probed;
      const says = `${title} ${version} answers${continuesSessions ? '' : ', and cannot continue sessions'}`;
      if (problems.length > 0) throw new Refusal('unreachable', `${says}; ${problems.join('; ')}`);
      return says;
    };
    findings.push(await runCheck(`agent ${name}`, check));
  }
  return findings;
}
