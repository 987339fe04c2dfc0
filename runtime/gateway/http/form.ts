import type { Context } from 'hono';
import { z } from 'zod';
import { readJson } from '../../base/bounded-json.ts';
import { Refusal } from '../../base/refusal.ts';
import { packetBytesMax } from '../input/limits.ts';
import { parseInput } from '../input/parse-input.ts';

const formMessage = z.looseObject({ attachments: z.array(z.unknown()).default([]) });

type SentFile = { readonly name: string; readonly mime: string; readonly bytes: Uint8Array };

/** Converts a multipart message to its JSON form: `files` follow the attachments that the JSON in `message` names. */
export async function attachmentsOf(context: Context): Promise<unknown> {
  const { message, files = [] } = await formOf(context);
  if (typeof message !== 'string' || message.length > packetBytesMax) {
    throw new Refusal('invalid_input', 'message: the form requires a field "message" with JSON');
  }
  const fields = parseInput(formMessage, objectOf(message));
  const attachments = [...fields.attachments];
  for (const file of Array.isArray(files) ? files : [files]) {
    if (typeof file === 'string')
      throw new Refusal('invalid_input', 'files: expected file parts, got a text field');
    const { name, mime, bytes } = await toSent(file);
    attachments.push({ name, mime, data: bytes });
  }
  return { ...fields, attachments };
}

/** The one file of an upload: the form's field `file`. */
export async function fileOf(context: Context): Promise<SentFile> {
  const { file } = await formOf(context);
  if (file instanceof File) return toSent(file);
  throw noFile();
}

export function noFile(): Refusal {
  const instead = 'or start an upload in pieces with the JSON {"name", "size"}';
  const message = `file: the form requires a field "file" with one file, ${instead}`;
  return new Refusal('invalid_input', message);
}

async function formOf(context: Context) {
  try {
    return await context.req.parseBody({ all: true });
  } catch (cause) {
    throw new Refusal(
      'invalid_input',
      `the request body is not a valid form: ${String(cause).slice(0, 200)}`,
    );
  }
}

async function toSent(file: File): Promise<SentFile> {
  return { name: file.name, mime: file.type, bytes: new Uint8Array(await file.arrayBuffer()) };
}

function objectOf(json: string): object {
  const read = readJson(json);
  if (!read.ok) throw new Refusal('invalid_input', `message: ${read.because}`);
  if (typeof read.value === 'object' && read.value !== null) return read.value;
  throw new Refusal('invalid_input', 'message: must be a JSON object');
}
