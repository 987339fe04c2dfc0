import { z } from 'zod';

const hash = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const path = z.string().min(1).max(4_096);
const bytes = z.base64();

const size = z.int().min(0);

const File = z.strictObject({ filepath: path, writable: z.boolean(), hash, size });
export type StagedInputFile = z.infer<typeof File>;

const Handed = z.strictObject({ name: path, hash, size });
export type SentMount = z.infer<typeof Handed>;

const Sealed = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('file'), path, hash, size }),
  z.strictObject({ kind: z.literal('refused'), path, code: z.string().max(64) }),
  /** An undeclared file in a requested folder. */
  z.strictObject({ kind: z.literal('unasked'), path, size: z.int().min(0) }),
]);
export type SealedFile = z.infer<typeof Sealed>;

/** Messages to the supervisor of a task. */
export const ToTask = z.discriminatedUnion('type', [
  /** Written before the task starts. */
  z.strictObject({ type: z.literal('welcome') }),
  /** Bytes of the protocol between runtime and supervisor. */
  z.strictObject({ type: z.literal('stream'), bytes }),
  z.strictObject({ type: z.literal('furnish'), files: z.array(File) }),
  /** One more file for a program that runs. */
  z.strictObject({ type: z.literal('hand'), file: Handed }),
  /** Keep the files at these paths once the program has ended or its grace period is over. */
  z.strictObject({
    type: z.literal('seal'),
    paths: z.array(path),
    /** Workspace files as the program received them. */
    given: z.array(Handed),
    bytesMax: z.int(),
  }),
]);
export type ToTask = z.infer<typeof ToTask>;

/** Messages from the supervisor of a task. */
export const FromTask = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('here') }),
  z.strictObject({ type: z.literal('stream'), bytes }),
  z.strictObject({
    type: z.literal('output'),
    name: z.enum(['stdout', 'stderr']),
    bytes,
    /** Characters left out before these bytes: of very long output only the start and the end are sent. */
    left_out: size.optional(),
  }),
  z.strictObject({ type: z.literal('furnished'), because: z.string().nullable() }),
  z.strictObject({ type: z.literal('handed'), name: path, because: z.string().nullable() }),
  /** The executor has closed its stream and its output. */
  z.strictObject({ type: z.literal('gone') }),
  /** The program has exceeded the disk quota of this folder. */
  z.strictObject({ type: z.literal('full'), place: path }),
  z.strictObject({ type: z.literal('sealed'), files: z.array(Sealed) }),
]);
export type FromTask = z.infer<typeof FromTask>;
