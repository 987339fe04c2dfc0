import { parseArgs } from 'node:util';
import { signToken } from '../../adapters/issuer/sign.ts';
import { Fault } from '../../base/fault.ts';
import { userName } from '../../client/protocol/request-schemas.ts';
import { environment, readConfig } from '../config/config.ts';
import { tokenHoursDefault, tokenHoursMax } from '../config/limits.ts';

const options = {
  user: { type: 'string' },
  roles: { type: 'string' },
  tenant: { type: 'string' },
  project: { type: 'string' },
  hours: { type: 'string' },
} as const;

/** `timeloom token --user NAME`: prints a token signed with `TIMELOOM_AUTH_SECRET`. */
export async function token(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options });
  const { user = '', roles = '', hours, tenant, project } = values;
  if (user === '') throw invalid('--user is required: the user of the token');
  const named = userName.safeParse(user);
  if (!named.success) throw invalid(`--user: ${named.error.issues[0]?.message}`);
  if (tenant === '' || project === '') throw invalid('--tenant and --project need a name');
  const { auth } = readConfig(environment());
  if (auth.mode !== 'jwt')
    throw invalid('set TIMELOOM_AUTH=jwt: dev authentication does not use tokens');
  const { keys } = auth.issuer;
  if (keys.from !== 'secret') {
    throw invalid('set TIMELOOM_AUTH_SECRET: another issuer signs its own tokens');
  }
  const request = {
    secret: keys.secret,
    ...{ user, tenant, project },
    roles: roles.split(',').filter((role) => role !== ''),
    lifetimeSeconds: toHours(hours) * 3_600,
  };
  process.stdout.write(`${await signToken(auth.issuer, request)}\n`);
  return 0;
}

function toHours(text: string | undefined): number {
  const hours = text === undefined ? tokenHoursDefault : Number(text);
  if (hours > 0 && hours <= tokenHoursMax) return hours;
  throw invalid(`--hours must be a number above 0 and at most ${tokenHoursMax}`);
}

function invalid(because: string): Fault {
  return new Fault('CONFIG_INVALID', { because });
}
