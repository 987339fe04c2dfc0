import { createHash } from 'node:crypto';
import { Scope } from '../../../base/scope.ts';
import type { Execution } from '../aws/execution.ts';
import type { Secrets } from '../aws/secrets.ts';
import type { Tasks } from '../aws/tasks.ts';
import { stopAndAwaitEnd } from '../aws/watch-task.ts';
import { type BucketObjects, emptyFolder, folderOf, listKeys, secretOf } from '../queue/bucket.ts';

export type ExecutionServices = {
  readonly tasks: Tasks;
  readonly secrets: Secrets;
  readonly bucket: BucketObjects;
};

type Waits = { readonly signal: AbortSignal };

const folder = 'made';

/** Runs before any resource is created, so that the resources can always be found and removed. */
export async function registerExecution(
  entry: Execution,
  bucket: BucketObjects,
  { signal }: Waits,
): Promise<void> {
  await putEmpty(keyOf(entry), bucket, { signal });
}

/** Every registered execution. */
export async function* listExecutions(
  bucket: BucketObjects,
  waits: Waits,
): AsyncGenerator<Execution> {
  for await (const key of listKeys(folder, bucket, waits)) {
    const entry = parseKey(key);
    if (entry) yield entry;
  }
}

/**
 * Removes the resources of an execution: its tasks first, since they still write, then its secret and its objects.
 * It tries each one even if another fails; the registration goes last, and only if nothing else is left.
 * `arns`: its tasks; undefined if only the service knows them.
 */
export async function removeExecution(
  entry: Execution,
  {
    tasks,
    secrets,
    bucket,
    arns,
  }: ExecutionServices & { readonly arns?: readonly string[] | undefined },
): Promise<void> {
  const { cell } = entry;
  const scope = new Scope();
  scope.defer(() => emptyFolder(folderOf(cell), bucket));
  scope.defer(() => secrets.remove(secretOf(cell)));
  scope.defer(async () => {
    const all = arns ?? (await tasks.listForCell(cell, { signal: new AbortController().signal }));
    await Promise.all(all.map((arn) => stopAndAwaitEnd(arn, tasks)));
  });
  await scope[Symbol.asyncDispose]();
  await bucket.remove(keyOf(entry));
}

/** An empty object; its key carries the information. */
export async function putEmpty(
  key: string,
  bucket: BucketObjects,
  { signal }: Waits,
): Promise<void> {
  const body = Buffer.alloc(0);
  const sha256 = createHash('sha256').update(body).digest('hex');
  await bucket.put(key, body, { sha256, signal });
}

function keyOf({ cell, owner, deadlineMs }: Execution): string {
  return `${folder}/${Math.ceil(deadlineMs)}.${owner}.${cell}`;
}

/** Undefined if the key is not a registration. */
function parseKey(key: string): Execution | undefined {
  const shape = /^made\/(\d{1,15})\.([\w-]+)\.(cell-[0-9a-f]+)$/;
  const [, ms, owner, cell] = shape.exec(key) ?? [];
  if (ms === undefined || owner === undefined || cell === undefined) return undefined;
  return { cell, owner, deadlineMs: Number(ms) };
}
