import { z } from 'zod';
import { tusCreation, uploadOffset, uploadRequest } from '../routes/upload-routes.ts';
import { schemaNames } from './api-schema.ts';
import { json, type RouteDescription, type RouteDescriptions } from './route-description.ts';

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
  'Upload-Offset': 'Bytes received.',
  'Upload-Length': 'Bytes of the whole file.',
  'Upload-Expires': 'When it expires.',
  'Tus-Resumable': '1.0.0',
};

const partHeaders = z
  .object({
    range: z
      .string()
      .describe('One range of bytes, as `bytes=0-1023`, `bytes=1024-` or `bytes=-1024`.'),
    'if-range': z.string().describe('The `ETag` of the part that the client has.'),
    'if-none-match': z.string().describe('The `ETag` of the file that the client has.'),
  })
  .partial();
const fileHeaders = {
  'Content-Disposition': 'The name of the file.',
  'Accept-Ranges': '`bytes`.',
  ETag: 'Changes with the bytes of the file.',
};

/** A download that can be resumed. */
export const fileInParts: Pick<RouteDescription, 'headers' | 'responses' | 'refusals'> = {
  headers: partHeaders,
  responses: {
    200: {
      description: 'The file, as a download.',
      content: { '*/*': 'bytes' },
      headers: fileHeaders,
    },
    206: {
      description: 'The bytes of the requested range.',
      content: { '*/*': 'bytes' },
      headers: {
        ...fileHeaders,
        'Content-Range': 'The first and the last byte, and the size of the file.',
      },
    },
    304: { description: 'The client has the file.' },
  },
  refusals: ['not_found', 'range_not_satisfiable'],
};

/** Uploads: files that are sent before their message. */
export const uploadDescriptions: RouteDescriptions = {
  'POST /api/uploads': {
    id: 'upload',
    tag: 'files',
    summary:
      'Uploads a file before the message that names it by `upload_id`, or starts an upload in pieces.',
    description:
      'In pieces: send JSON, or the headers of tus 1.0; then `PATCH` the address in `Location`.',
    headers: tusCreation.partial(),
    body: { 'multipart/form-data': z.object({ file: z.file() }), ...json(uploadRequest) },
    responses: {
      200: { description: 'The file is stored for an hour.', content: json(kept) },
      201: {
        description: 'The upload is open for an hour.',
        content: json(begun),
        headers: { Location: 'The address of the upload.', ...headers },
      },
    },
    refusals: ['attachment_refused', 'busy'],
  },
  'GET /api/uploads/:upload': {
    id: 'getUpload',
    tag: 'files',
    summary: 'Returns the state of an upload; `HEAD` returns it in headers only.',
    responses: { 200: { description: 'Continue at `offset`.', content: json(begun), headers } },
    refusals: ['not_found'],
  },
  'PATCH /api/uploads/:upload': {
    id: 'continueUpload',
    tag: 'files',
    summary: 'Adds bytes to an upload, from its offset on.',
    description:
      'The bytes of an interrupted request are kept. After the last byte a message may name the upload.',
    headers: uploadOffset,
    body: { 'application/offset+octet-stream': 'bytes' },
    responses: { 204: { description: 'Stored; `Upload-Offset` is the new offset.', headers } },
    refusals: ['not_found', 'conflict', 'too_large', 'busy'],
  },
  'DELETE /api/uploads/:upload': {
    id: 'deleteUpload',
    tag: 'files',
    summary: 'Deletes an upload.',
    responses: { 204: { description: 'It is deleted.' } },
    refusals: ['not_found'],
  },
};
