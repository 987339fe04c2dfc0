import { z } from 'zod';
import { tusCreation, uploadOffset, uploadRequest } from '../routes/upload-routes.ts';
import { schemaNames } from './api-schema.ts';
import { json, type RouteDescriptions } from './route-description.ts';

const kept = z.object({
  ok: z.literal(true),
  upload_id: z.string(),
  name: z.string(),
  mime: z.string(),
  size: z.int(),
});
const begun = kept.extend({ offset: z.int(), expires_at: z.iso.datetime() });

schemaNames.add(kept, { id: 'Upload' });
schemaNames.add(begun, { id: 'UploadInPieces' });

const headers = {
  'Upload-Offset': 'Bytes that have come.',
  'Upload-Length': 'Bytes of the whole file.',
  'Upload-Expires': 'When it is forgotten.',
  'Tus-Resumable': '1.0.0',
};

/** Files ahead of their message. */
export const uploadDescriptions: RouteDescriptions = {
  'POST /api/uploads': {
    id: 'upload',
    tag: 'files',
    summary:
      'Takes a file ahead of the message that names it by `upload_id`, or begins one in pieces.',
    description: 'In pieces: JSON, or the headers of tus 1.0; then `PATCH` what `Location` names.',
    headers: tusCreation.partial(),
    body: { 'multipart/form-data': z.object({ file: z.file() }), ...json(uploadRequest) },
    responses: {
      200: { description: 'The whole file is kept, for an hour.', content: json(kept) },
      201: {
        description: 'It may come in pieces, for an hour.',
        content: json(begun),
        headers: { Location: 'Its address.', ...headers },
      },
    },
    refusals: ['attachment_refused', 'busy'],
  },
  'GET /api/uploads/:upload': {
    id: 'getUpload',
    tag: 'files',
    summary: 'How far an upload has come; `HEAD` says it in headers alone.',
    responses: { 200: { description: 'At `offset` it goes on.', content: json(begun), headers } },
    refusals: ['not_found'],
  },
  'PATCH /api/uploads/:upload': {
    id: 'continueUpload',
    tag: 'files',
    summary: 'More bytes of an upload, from its offset on.',
    description:
      'What came is kept, also of a request that broke off. After the last byte a message may name it.',
    headers: uploadOffset,
    body: { 'application/offset+octet-stream': 'bytes' },
    responses: { 204: { description: 'Kept; `Upload-Offset` says how far it is.', headers } },
    refusals: ['not_found', 'conflict', 'too_large', 'busy'],
  },
  'DELETE /api/uploads/:upload': {
    id: 'deleteUpload',
    tag: 'files',
    summary: 'Forgets an upload.',
    responses: { 204: { description: 'It is forgotten.' } },
    refusals: ['not_found'],
  },
};
