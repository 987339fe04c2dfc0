import type { ChatAttachment } from '../client/wire.ts';
import type { BlobStore } from '../timeline/blobs.ts';
import type { Sender } from '../timeline/store.ts';
import {
  assertClean,
  type Checked,
  checkFile,
  type Hosted,
  hostFile,
  refused,
  safeName,
} from './hosting.ts';
import { messageBytesMax } from './limits.ts';
import type { FileRules } from './ports.ts';
import type { Uploads } from './uploads.ts';

type Taken = Checked | Hosted;
type Context = {
  readonly sender: Sender;
  readonly blobs: BlobStore;
  readonly files?: FileRules;
  readonly uploads: Uploads;
  readonly signal: AbortSignal;
};

/**
 * Every file of a message, checked before the first is kept: Refusal `attachment_refused` names the file and the
 * limit, and nothing of the message remains.
 */
export async function hostAttachments(
  attachments: readonly ChatAttachment[],
  context: Context,
): Promise<readonly Hosted[]> {
  const { uploads, files } = context;
  const names = distinct(attachments.map(({ name }) => safeName(name)));
  const taken: Taken[] = [];
  for (const [at, { upload_id, mime, data = '', ...each }] of attachments.entries()) {
    const name = names[at] ?? each.name;
    const isHere = upload_id === undefined;
    const file = isHere ? checkFile({ name, mime, bytes: toBytes(data) }, files) : undefined;
    taken.push(file ?? { ...(await uploads.take(upload_id ?? '', context)), name });
  }
  const total = taken.reduce((sum, each) => sum + sizeOf(each), 0);
  const bytesMax = files?.messageBytes ?? messageBytesMax;
  if (total > bytesMax) {
    throw refused(`all files together have ${total} bytes; a message takes ${bytesMax}`);
  }
  await assertAllClean(taken, context);
  const hosted: Hosted[] = [];
  for (const each of taken) hosted.push('blob' in each ? each : await hostFile(each, context));
  return hosted;
}

/** Those that came ahead of their message were looked into when they came. */
async function assertAllClean(taken: readonly Taken[], context: Context): Promise<void> {
  for (const each of taken) if ('bytes' in each) await assertClean(each, context);
}

/** Names of one message are told apart by number: `a.csv`, `a-2.csv`. */
function distinct(names: readonly string[]): readonly string[] {
  const used = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let number = 2; used.has(free); number += 1) {
      free = name.replace(/(\.[^.]*)?$/, `-${number}$1`);
    }
    used.add(free);
    return free;
  });
}

function toBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, 'base64') : data;
}

function sizeOf(file: Taken): number {
  return 'blob' in file ? file.blob.size : file.bytes.byteLength;
}
