import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { defaultClaims } from '../../../runtime/adapters/issuer/settings.ts';
import { openTokens } from '../../../runtime/adapters/issuer/tokens.ts';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { connect } from '../../../runtime/client/index.ts';
import { openServedAgent } from '../../runtime/gateway/endpoints/served-agent.ts';
import { openStage } from '../../runtime/gateway/stage.ts';
import { openIssuer } from '../../tools/services/issuer.ts';

// proves: page.lighthouse

const packages = ['lighthouse@13.5.0', 'puppeteer-core@25'];

const answer = `It is **slow** because of its cache.

| Minute | p95 |
| --- | ---: |
| 10:40 | 840 ms |

\`\`\`js
const p95 = 840;
\`\`\`
`;

/**
 * Lighthouse, installed from npm into a temporary folder, rates the accessibility of a new and a finished conversation and of the
 * sign-in, light and dark. Ends with 1 if a rating is below 100.
 */
async function main(): Promise<void> {
  await using scope = new Scope();
  const folder = install(scope);
  const addresses = [...(await openChat(scope)), await openSignIn(scope)];
  const program = join(folder, 'run-lighthouse.mjs');
  copyFileSync(join(import.meta.dirname, 'run-lighthouse.mjs'), program);
  const env = { ...process.env, CHROMIUM: '/usr/bin/chromium' };
  const child = spawn(process.execPath, [program, ...addresses], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [address, scheme, score, failed] = JSON.parse(line) as unknown[];
    assert.equal(score, 1, `${address} ${scheme}: ${JSON.stringify(failed)}`);
    count += 1;
    process.stdout.write(`${address} ${scheme}: 100\n`);
  }
  assert.deepEqual([await exited, count], [[0, null], 2 * addresses.length]);
}

function install(scope: Scope): string {
  const folder = mkdtempSync(join(tmpdir(), 'timeloom-lighthouse-'));
  scope.defer(async () => rmSync(folder, { recursive: true, force: true }));
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder];
  execFileSync('npm', [...args, ...packages], { stdio: ['ignore', 'ignore', 'inherit'] });
  return folder;
}

/** A new conversation and a finished one. */
async function openChat(scope: Scope): Promise<readonly string[]> {
  const served = scope.own(await openServedAgent([{ answer }]));
  const client = scope.own(connect({ url: served.url('/') }));
  const conversation = client.conversation();
  const turn = await conversation.send('Why is it slow?');
  await turn.done();
  return [served.url('/'), served.url(`/#${conversation.id}`)];
}

async function openSignIn(scope: Scope): Promise<string> {
  const issuer = scope.own(await openIssuer());
  const trusted = { issuer: issuer.url, audience: ['timeloom'], claims: defaultClaims };
  const tokens = scope.own(
    openTokens({ ...trusted, keys: { from: 'issuer' } }, { clock: systemClock, log: silentLog }),
  );
  const stage = scope.own(await openStage({ auth: { mode: 'jwt', tokens, origins: [] } }));
  return stage.gateway.url;
}

await main();
