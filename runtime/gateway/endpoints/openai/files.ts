import type { Context } from 'hono';
import { Refusal } from '../../../base/refusal.ts';
import { isMime } from '../../../client/protocol/request-schemas.ts';
import { keepUpload } from '../../files/keep-upload.ts';
import { listUploads } from '../../files/list-uploads.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { fileOf } from '../../http/form.ts';
import { sendBlob, sendFile } from '../../http/send-file.ts';
import { filesListedMax } from './limits.ts';
import { findFile, toFileObject, uploadFileId } from './stored-files.ts';

/** `POST /v1/files`: an upload, which messages may name while it is kept. */
export async function postFile(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const sender = context.get('sender');
  const { name, mime, bytes } = await fileOf(context);
  const file = { name, mime: isMime(mime) ? mime : '', bytes };
  const { upload } = await keepUpload(parts, file, { sender });
  const state = await parts.uploads.find(upload, sender);
  return context.json(toFileObject({ ...state, id: uploadFileId(upload) }));
}

/** `GET /v1/files`: the uploads that are kept. Files that turns produced are in their answers. */
export async function getFiles(context: Context<Env>, { deps }: HttpParts): Promise<Response> {
  const limit = filesListedMax;
  const states = await listUploads(deps.storage, context.get('sender'), { limit });
  const data = states.map((state) => toFileObject({ ...state, id: uploadFileId(state.id) }));
  return context.json({ object: 'list', data, has_more: false });
}

export async function getFile(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const found = await findFile(context, parts, idOf(context));
  return context.json(found.kind === 'upload' ? found.facts : found.file);
}

export async function getFileContent(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const found = await findFile(context, parts, idOf(context));
  if (found.kind === 'produced') {
    const query = { path: found.file.path, conversation: found.row.id };
    return sendFile(context, parts, query);
  }
  const sender = context.get('sender');
  const { name, mime, blob } = await parts.uploads.take(found.upload, {
    sender,
    signal: parts.closing,
  });
  return sendBlob(context, parts, { name, mime, blob, tenant: sender.tenant });
}

export async function deleteFile(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const id = idOf(context);
  const found = await findFile(context, parts, id);
  if (found.kind === 'produced') {
    throw new Refusal(
      'forbidden',
      'files that a turn produced are deleted with their conversation',
    );
  }
  await parts.uploads.remove(found.upload, context.get('sender'));
  return context.json({ id, object: 'file', deleted: true });
}

function idOf(context: Context<Env>): string {
  return context.req.param('file') ?? '';
}
