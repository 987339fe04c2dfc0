import { z } from 'zod';
import { tusCreation, uploadOffset, uploadRequest } from '../routes/upload-routes.ts';
import { names } from './api-schema.ts';
import { json, type RouteTable } from './route-description.ts';

const kept = z.object({
  ok: z.literal(true),
  upload_id: z.string(),
  name: z.string(),
  mime: z.string(),
  size: z.int(),
});
const begun = kept.extend({ offset: z.int(), expires_at: z.iso.datetime() });

names.add(kept, { id: 'Upload' });
names.add(begun, { id: 'UploadInPieces' });

const headers = {
  'Upload-Offset': 'Bytes that have come.',
  'Upload-Length': 'Bytes of the whole file.',
  'Upload-Expires': 'When it is forgotten.',
  'Tus-Resumable': '1.0.0',
};

/** Files ahead of their message. */
export const uploadRoutes: RouteTable = {
  'POST /api/uploads': {
    id: 'upload',
    tag: 'files',
    says: 'Takes a file ahead of the message that names it by `upload_id`, or begins one in pieces.',
    more: 'In pieces: JSON, or the headers of tus 1.0; then `PATCH` what `Location` names.',
    headers: tusCreation.partial(),
    body: { 'multipart/form-data': z.object({ file: z.file() }), ...json(uploadRequest) },
    answers: {
      200: { says: 'The whole file is kept, for an hour.', content: json(kept) },
      201: {
        says: 'It may come in pieces, for an hour.',
        content: json(begun),
        headers: { Location: 'Its address.', ...headers },
      },
    },
    refusals: ['attachment_refused', 'busy'],
  },
  'GET /api/uploads/:upload': {
    id: 'getUpload',
    tag: 'files',
    says: 'How far an upload has come; `HEAD` says it in headers alone.',
    answers: { 200: { says: 'At `offset` it goes on.', content: json(begun), headers } },
    refusals: ['not_found'],
  },
  'PATCH /api/uploads/:upload': {
    id: 'continueUpload',
    tag: 'files',
    says: 'More bytes of an upload, from its offset on.',
    more: 'What came is kept, also of a request that broke off. After the last byte a message may name it.',
    headers: uploadOffset,
    body: { 'application/offset+octet-stream': 'bytes' },
    answers: { 204: { says: 'Kept; `Upload-Offset` says how far it is.', headers } },
    refusals: ['not_found', 'conflict', 'too_large', 'busy'],
  },
  'DELETE /api/uploads/:upload': {
    id: 'deleteUpload',
    tag: 'files',
    says: 'Forgets an upload.',
    answers: { 204: { says: 'It is forgotten.' } },
    refusals: ['not_found'],
  },
};
