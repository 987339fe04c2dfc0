import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openModel } from '../../../adapters/models/open-models.ts';
import { Refusal } from '../../../base/refusal.ts';
import type { Scope } from '../../../base/scope.ts';
import { connect } from '../../../client/connect.ts';
import type { Model } from '../../../engine/ports/model.ts';
import type { Config } from '../../config/config.ts';
import { accessOf } from '../../models/models.ts';
import { openServer } from '../../server/open-server.ts';

/** A server with an empty database and blob store, so that no case sees another run. */
export async function openClient(
  config: Config,
  { scope, signal }: { scope: Scope; signal: AbortSignal },
) {
  const dataDir = await mkdtemp(join(tmpdir(), 'timeloom-eval-'));
  scope.defer(() => rm(dataDir, { recursive: true, force: true }));
  const own: Config = {
    ...config,
    dataDir,
    databaseUrl: undefined,
    redisUrl: undefined,
    blobs: undefined,
    port: 0,
    logLevel: config.logLevel === 'debug' ? 'debug' : 'silent',
  };
  const { url } = await openServer(own, { scope, signal });
  const { tenant, project } = config;
  return scope.own(connect({ url, tenant, project, user: 'eval' }));
}

export async function openJudge(config: Config, ref: string | undefined): Promise<Model> {
  if (ref !== undefined) return await openModel(ref, accessOf(config));
  throw new Refusal(
    'invalid_input',
    'cases with judge need a model; set TIMELOOM_MODEL or use --judge',
  );
}
