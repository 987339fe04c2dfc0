import type { Context } from 'hono';
import type { JsonObject } from '../../../base/json.ts';
import { isRefusal, Refusal } from '../../../base/refusal.ts';
import type { ChatAttachment } from '../../../client/protocol/request-schemas.ts';
import { toTurnId } from '../../../timeline/ids.ts';
import { toBlockPath } from '../../../timeline/paths.ts';
import type { ConversationRow, Sender } from '../../../timeline/ports/store.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { TurnReader } from '../../projections/openai/read-turn.ts';
import type { ProducedFile } from '../../projections/openai/steps.ts';
import { conversationOfTurn, readTurnEnvelopes } from '../turn-lookup.ts';
import { producedFileBytesMax } from './limits.ts';

const uploadPrefix = 'file-';

export type StoredFile =
  | { readonly kind: 'upload'; readonly upload: string; readonly facts: JsonObject }
  | { readonly kind: 'produced'; readonly row: ConversationRow; readonly file: ProducedFile };

type FileRequest = {
  readonly id: string;
  readonly name?: string | undefined;
  readonly place: string;
};

/** A file of `/v1/files`, or one that a turn produced. Refusal `not_found`. */
export async function findFile(
  context: Context<Env>,
  parts: HttpParts,
  id: string,
): Promise<StoredFile> {
  const sender = context.get('sender');
  const found = id.startsWith(uploadPrefix)
    ? await findUpload(parts, sender, id)
    : await findProduced(parts, sender, id);
  if (found) return found;
  throw new Refusal('not_found', `file ${id.slice(0, 200)} not found`);
}

/** As the attachment of a message. */
export async function attachmentOfFile(
  context: Context<Env>,
  parts: HttpParts,
  { id, name, place }: FileRequest,
): Promise<ChatAttachment> {
  const found = await findFile(context, parts, id).catch((error: unknown) => {
    if (!isRefusal(error)) throw error;
    throw new Refusal('not_found', `${place}: ${error.message}`);
  });
  if (found.kind === 'upload') {
    return { name: name ?? String(found.facts['filename']), mime: '', upload_id: found.upload };
  }
  const { file, row } = found;
  if (file.bytes > producedFileBytesMax) {
    throw new Refusal(
      'too_large',
      `${place}: the file has more than ${producedFileBytesMax} bytes`,
    );
  }
  const data = await bytesOf(parts, { row, file, tenant: context.get('sender').tenant });
  return { name: name ?? file.filename, mime: file.mime_type, data };
}

async function findUpload(
  { uploads }: HttpParts,
  sender: Sender,
  id: string,
): Promise<StoredFile | undefined> {
  const upload = id.slice(uploadPrefix.length);
  try {
    const { name, size, untilMs, offset } = await uploads.find(upload, sender);
    if (offset < size) return undefined;
    return { kind: 'upload', upload, facts: toFileObject({ id, name, size, untilMs }) };
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

type UploadFacts = {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly untilMs: number;
};

export function toFileObject({ id, name, size, untilMs }: UploadFacts): JsonObject {
  return {
    id,
    object: 'file',
    bytes: size,
    filename: name,
    purpose: 'user_data',
    status: 'processed',
    // An upload is kept for an hour.
    created_at: Math.floor(untilMs / 1_000) - 3_600,
    expires_at: Math.floor(untilMs / 1_000),
  };
}

export function uploadFileId(upload: string): string {
  return `${uploadPrefix}${upload}`;
}

async function findProduced(
  { deps, closing: signal }: HttpParts,
  sender: Sender,
  id: string,
): Promise<StoredFile | undefined> {
  const [, turn] = /^file_(.+)_r\d+_\d+$/.exec(id) ?? [];
  if (turn === undefined) return undefined;
  const place = { store: deps.store, signal };
  const row = await conversationOfTurn(sender, toTurnId(turn), place);
  if (!row) return undefined;
  const reader = new TurnReader();
  for (const envelope of await readTurnEnvelopes(row, toTurnId(turn), place)) reader.take(envelope);
  const file = reader.files.find((each) => each.id === id);
  return file && { kind: 'produced', row, file };
}

async function bytesOf(
  { deps, closing: signal }: HttpParts,
  { row, file, tenant }: { row: ConversationRow; file: ProducedFile; tenant: string },
): Promise<Uint8Array<ArrayBuffer>> {
  const block = await deps.store.atPath(row.key, toBlockPath(file.path), { signal });
  if (!block?.blob) return Buffer.from(block?.text ?? '');
  const { stream } = await deps.blobs.open(tenant, block.blob.hash, { signal });
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}
