import { parseArgs } from 'node:util';
import { readConfig } from '../../config/config.ts';
import { checkAgentPrograms } from './check-agent-programs.ts';
import { checkAgents } from './check-agents.ts';
import { checkAntivirus } from './check-antivirus.ts';
import { checkAuth } from './check-auth.ts';
import { checkConnections } from './check-connections.ts';
import { checkJobs } from './check-jobs.ts';
import { checkModel } from './check-model.ts';
import { checkPrograms } from './check-programs.ts';
import { toLine } from './doctor-finding.ts';

/** `timeloom doctor`: checks everything that a turn needs, runs a program in the sandbox, and says how to fix problems. */
export async function doctor(
  args: readonly string[],
  { signal }: { signal: AbortSignal },
): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { json: { type: 'boolean' }, model: { type: 'string' } },
  });
  const config = readConfig();
  const json = values.json === true;
  if (values.model !== undefined) return await checkModel(values.model, { config, json, signal });
  const connections = await checkConnections(config);
  const isReachable = connections.every(({ what, ok }) => ok || what !== 'database');
  const findings = [
    { what: 'node', ok: true, says: process.version },
    ...connections,
    ...(isReachable ? await checkJobs(config, signal) : []),
    ...(await checkAuth(config)),
    ...(await checkAntivirus(config)),
    ...(await checkAgents(config, signal)),
    ...(await checkPrograms(config)),
    ...(await checkAgentPrograms(config, signal)),
  ];
  if (json) process.stdout.write(`${JSON.stringify(findings)}\n`);
  else for (const finding of findings) process.stdout.write(toLine(finding));
  return findings.every(({ ok }) => ok) ? 0 : 1;
}
