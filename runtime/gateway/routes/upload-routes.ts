import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { readJson } from '../../base/bounded-json.ts';
import { Refusal } from '../../base/refusal.ts';
import { mime, id as uploadId } from '../../client/protocol/request-schemas.ts';
import { keepUpload } from '../files/keep-upload.ts';
import { type NewUpload, tooLarge, type UploadState, uploadNotFound } from '../files/uploads.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { fileOf, noFile } from '../http/form.ts';
import { parseInput } from '../input/parse-input.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 characters of 0-9a-f');
const wholeNumber = z
  .string('header is required')
  .regex(/^\d{1,15}$/, 'must be a number of bytes')
  .transform(Number);

/** Starts an upload in pieces. */
export const uploadRequest = z.object({
  name: z.string().min(1).max(1_000),
  mime,
  size: z.int().min(0),
  sha256: sha256.exactOptional(),
});
const formRequest = z.object({ mime });
/** The same as headers of tus. */
export const tusCreation = z.object({
  'upload-length': wholeNumber,
  'upload-metadata': z.string().max(4_000).default(''),
});
export const uploadOffset = z.object({ 'upload-offset': wholeNumber });

/**
 * Files that are sent before their message: whole as a form, or in pieces with tus 1.0 (core, creation, expiration,
 * termination), so that an interrupted upload can be resumed.
 */
export function addUploadRoutes(app: Hono<Env>, parts: HttpParts): void {
  app.post('/api/uploads', (context) => postUpload(context, parts));
  const one = '/api/uploads/:upload';
  app.get(one, async (context) => {
    const state = await stateOf(context, parts);
    setUploadHeaders(context, state);
    return context.json(toJson(state));
  });
  app.patch(one, (context) => patchUpload(context, parts));
  app.delete(one, async (context) => {
    const { id } = await stateOf(context, parts);
    await parts.uploads.remove(id, context.get('sender'));
    return context.body(null, 204);
  });
}

async function postUpload(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const type = context.req.header('content-type') ?? '';
  const isTus = context.req.header('upload-length') !== undefined;
  if (isTus) return createUpload(context, parts, parseTusHeaders(context));
  if (!type.startsWith('application/json')) return postWhole(context, parts);
  const read = readJson(await context.req.text());
  const json = read.ok ? read.value : undefined;
  if (typeof json !== 'object' || json === null) throw noFile();
  return createUpload(context, parts, parseInput(uploadRequest, json));
}

async function postWhole(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const sender = context.get('sender');
  const { name: sentName, mime: claimed, bytes } = await fileOf(context);
  const { mime: type } = parseInput(formRequest, { mime: claimed });
  const file = { name: sentName, mime: type, bytes };
  const { upload: upload_id, hosted } = await keepUpload(parts, file, { sender });
  const { name, blob } = hosted;
  return context.json({ ok: true, upload_id, name, mime: hosted.mime, size: blob.size });
}

async function createUpload(
  context: Context<Env>,
  { uploads }: HttpParts,
  announced: NewUpload,
): Promise<Response> {
  const state = await uploads.create(announced, context.get('sender'));
  setUploadHeaders(context, state);
  context.header('Location', `/api/uploads/${state.id}`);
  return context.json(toJson(state), 201);
}

async function patchUpload(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const { uploads, closing: signal } = parts;
  const body = context.req.raw.body ?? nothing();
  const state = await findAtOffset(context, parts).catch(async (error: unknown) => {
    // Read the rest: a client that is still sending would see a closed connection instead of the answer.
    for await (const _ of body);
    throw error;
  });
  const uploadContext = { sender: context.get('sender'), signal };
  setUploadHeaders(context, await uploads.append(state, body, uploadContext));
  return context.body(null, 204);
}

/** Refusals `conflict`, with the offset to go on from, and `too_large`. */
async function findAtOffset(context: Context<Env>, parts: HttpParts): Promise<UploadState> {
  const { 'upload-offset': offset } = parseInput(uploadOffset, context.req.header());
  const state = await stateOf(context, parts);
  setUploadHeaders(context, state);
  if (offset !== state.offset) {
    throw new Refusal(
      'conflict',
      `wrong offset: continue from byte ${state.offset}, not ${offset}`,
    );
  }
  const bytes = Number(context.req.header('content-length') ?? 0);
  if (offset + bytes > state.size) throw tooLarge(state);
  return state;
}

async function stateOf(context: Context<Env>, { uploads }: HttpParts): Promise<UploadState> {
  const upload = context.req.param('upload') ?? '';
  if (!uploadId.safeParse(upload).success) throw uploadNotFound(upload);
  return await uploads.find(upload, context.get('sender'));
}

/** The headers of every answer, as defined by tus. */
function setUploadHeaders(context: Context<Env>, { offset, size, untilMs }: UploadState): void {
  context.header('Tus-Resumable', '1.0.0');
  context.header('Upload-Offset', String(offset));
  context.header('Upload-Length', String(size));
  context.header('Upload-Expires', new Date(untilMs).toUTCString());
  context.header('Cache-Control', 'no-store');
}

function toJson({ id: upload_id, untilMs, ...state }: UploadState) {
  const expires_at = new Date(untilMs).toISOString();
  return { ok: true, upload_id, ...state, expires_at };
}

/** `filename` and `filetype` are base64, as tus clients send them; `sha256` is our own extension. */
function parseTusHeaders(context: Context): NewUpload {
  const headers = parseInput(tusCreation, context.req.header());
  const pairs = headers['upload-metadata'].split(',').map((pair) => {
    const [key = '', value = ''] = pair.trim().split(' ');
    return [key, Buffer.from(value, 'base64').toString('utf8')] as const;
  });
  const {
    filename,
    name = filename,
    filetype,
    type = filetype,
    ...rest
  } = Object.fromEntries(pairs);
  const digest = rest['sha256'];
  return parseInput(uploadRequest, {
    ...{ name: name || 'file', mime: type, size: headers['upload-length'] },
    ...(digest !== undefined && { sha256: digest }),
  });
}

async function* nothing(): AsyncIterable<Uint8Array> {
  // A request without a body adds no bytes.
}
