import { z } from 'zod';
import { type Json, parseJson } from '../../base/json.ts';
import { seqSchema, streamNameSchema, turnIdSchema } from '../../timeline/ids.ts';
import type { Frame, Note, Owner } from './bus.ts';

const place = {
  after: seqSchema,
  fence: z.number(),
  number: z.number(),
  turn: turnIdSchema,
  round: z.number(),
};

const FrameShape: z.ZodType<Frame> = z.discriminatedUnion('kind', [
  z.object({
    ...place,
    kind: z.literal('delta'),
    channel: z.string(),
    instance: z.number(),
    stream: streamNameSchema,
    marker: z.string(),
    text: z.string(),
    offset: z.number(),
    completed: z.boolean(),
    artifact: z
      .object({
        name: z.string(),
        mime: z.string().exactOptional(),
        title: z.string().exactOptional(),
      })
      .exactOptional(),
  }),
  z.object({ ...place, kind: z.literal('live'), type: z.string(), data: z.custom<Json>() }),
]);

const NoteShape: z.ZodType<Note> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('frame'), frame: FrameShape }),
  z.object({ kind: z.literal('head'), head: seqSchema }),
  z.object({ kind: z.literal('erased') }),
]);

/** Notes from another process; invalid ones are skipped. */
export function parseNotes(value: unknown): readonly Note[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each) => NoteShape.safeParse(each).data ?? []);
}

/** Frames from a buffer; invalid ones (a torn line, an older format) are skipped. */
export function parseFrames(text: string): readonly Frame[] {
  const values = parseJson(text);
  if (!Array.isArray(values)) return [];
  return values.flatMap((value) => FrameShape.safeParse(value).data ?? []);
}

export function framesIn(notes: readonly Note[]): readonly Frame[] {
  return notes.flatMap((note) => (note.kind === 'frame' ? [note.frame] : []));
}

export function toNote(frame: Frame): Note {
  return { kind: 'frame', frame };
}

/** The buffer's order: by block, then fence, then number. */
export function inOrder(frames: readonly Frame[]): readonly Frame[] {
  return frames.toSorted((a, b) => a.after - b.after || a.fence - b.fence || a.number - b.number);
}

/** A user as one text, for keys and channels. */
export function ownerName({ tenant, project, user }: Owner): string {
  return JSON.stringify([tenant, project, user]);
}
