import { setImmediate } from 'node:timers/promises';
import type { Scope } from '../../base/scope.ts';
import type { ChatAttachment } from '../../client/protocol/request-schemas.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { Sender } from '../../timeline/ports/store.ts';
import { contentOf } from '../inspection/content.ts';
import { Inspector } from '../inspection/inspector.ts';
import type { FileRules } from '../ports/file-rules.ts';
import type { GatewayDeps } from '../ports/gateway-deps.ts';
import {
  assertClean,
  attachmentRefused,
  type CheckedFile,
  checkFile,
  type HostedFile,
  hostFile,
  safeName,
} from './host-file.ts';
import { messageBytesMax } from './limits.ts';
import { Uploads } from './uploads.ts';

type AttachedFile = CheckedFile | HostedFile;
export type AttachmentServices = { readonly uploads: Uploads; readonly inspector: Inspector };
type Context = AttachmentServices & {
  readonly sender: Sender;
  readonly blobs: BlobStore;
  readonly files?: FileRules;
  readonly signal: AbortSignal;
};

/** The services of one gateway that check and store files; `scope` owns them. */
export function openAttachmentServices(deps: GatewayDeps, scope: Scope): AttachmentServices {
  const inspector = scope.own(new Inspector(deps.files));
  return { inspector, uploads: new Uploads({ ...deps, inspector }) };
}

/**
 * Checks every file of a message before it stores the first: Refusal `attachment_refused` names the file and the limit,
 * and nothing of the message is kept.
 */
export async function hostAttachments(
  attachments: readonly ChatAttachment[],
  context: Context,
): Promise<readonly HostedFile[]> {
  // Parsing may have taken a while: let other requests run before the files are checked.
  if (attachments.length > 0) await setImmediate();
  const names = distinct(attachments.map(({ name }) => safeName(name)));
  const taken: AttachedFile[] = [];
  for (const [at, attachment] of attachments.entries()) {
    taken.push(await take({ ...attachment, name: names[at] ?? attachment.name }, context));
  }
  assertTotal(taken, context);
  await assertAllClean(taken, context);
  const hosted: HostedFile[] = [];
  for (const each of taken) hosted.push('blob' in each ? each : await hostFile(each, context));
  return hosted;
}

async function take(attachment: ChatAttachment, context: Context): Promise<AttachedFile> {
  const { name, mime, upload_id, data = '' } = attachment;
  if (upload_id !== undefined) return { ...(await context.uploads.take(upload_id, context)), name };
  return await checkFile({ name, mime, content: contentOf(toBytes(data)) }, context);
}

function assertTotal(taken: readonly AttachedFile[], { files }: Context): void {
  const total = taken.reduce((sum, each) => sum + sizeOf(each), 0);
  const bytesMax = files?.messageBytes ?? messageBytesMax;
  if (total <= bytesMax) return;
  const message = `and the files before it have ${total} bytes; the limit for a message is ${bytesMax}`;
  throw attachmentRefused(taken.at(-1)?.name ?? '', { reason: 'message_too_large', message });
}

/** Uploaded files were checked when they arrived. */
async function assertAllClean(taken: readonly AttachedFile[], context: Context): Promise<void> {
  for (const each of taken) if ('content' in each) await assertClean(each, context);
}

/** Makes the names of one message unique by number: `a.csv`, `a-2.csv`. */
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

function sizeOf(file: AttachedFile): number {
  return 'blob' in file ? file.blob.size : file.content.size;
}
