import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { parsePayload } from '../../adapters/fargate/queue/payload.ts';
import { payloadVariable } from '../../adapters/fargate/settings/settings.ts';
import { awaitContainers } from '../../adapters/fargate/task/await-containers.ts';
import { serveTask } from '../../adapters/fargate/task/serve-task.ts';
import { s3BlobsOver } from '../../adapters/s3/blob-store.ts';
import { S3Objects } from '../../adapters/s3/objects.ts';

/** The supervisor of a task. Its environment contains only the name of its launch payload. */
async function main(secret: string): Promise<void> {
  const arriving = await awaitContainers();
  const client = new SecretsManagerClient({});
  const { SecretString = '' } = await client.send(new GetSecretValueCommand({ SecretId: secret }));
  client.destroy();
  const payload = parsePayload(SecretString);
  const { bucket, prefix, folder, deadlineMs } = payload;
  const endpoint = payload.endpoint ?? undefined;
  const signal = AbortSignal.timeout(Math.max(0, deadlineMs - Date.now()));
  const objects = new S3Objects({ bucket, prefix, endpoint });
  const snapshots = s3BlobsOver(objects.below(folder));
  await serveTask(arriving, { objects, snapshots, payload, signal });
}

// As PID 1 of its container, the process must handle SIGTERM itself.
process.once('SIGTERM', () => process.exit(0));
const secret = process.env[payloadVariable];
if (secret === undefined) {
  console.error(`${payloadVariable} is not set: Timeloom starts this program in a Fargate task`);
  process.exit(64);
}
await main(secret);
process.exit(0);
