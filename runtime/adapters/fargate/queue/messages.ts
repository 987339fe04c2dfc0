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
  /** In a folder that was asked for. */
  z.strictObject({ kind: z.literal('unasked'), path, size: z.int().min(0) }),
]);
export type SealedFile = z.infer<typeof Sealed>;

/** To the supervisor of a task. */
export const ToTask = z.discriminatedUnion('type', [
  /** There before the task is. */
  z.strictObject({ type: z.literal('welcome') }),
  /** Of the protocol between runtime and supervisor. */
  z.strictObject({ type: z.literal('stream'), bytes }),
  z.strictObject({ type: z.literal('furnish'), files: z.array(File) }),
  /** One more file for a program that runs. */
  z.strictObject({ type: z.literal('hand'), file: Handed }),
  /** Keep what is at these paths, as it stands once the program has ended or its grace is over. */
  z.strictObject({
    type: z.literal('seal'),
    paths: z.array(path),
    /** Of the workspace, as the program found it. */
    given: z.array(Handed),
    bytesMax: z.int(),
  }),
]);
export type ToTask = z.infer<typeof ToTask>;

/** From the supervisor of a task. */
export const FromTask = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('here') }),
  z.strictObject({ type: z.literal('stream'), bytes }),
  z.strictObject({
    type: z.literal('output'),
    name: z.enum(['stdout', 'stderr']),
    bytes,
    /** Characters that are missing before these bytes: of a flood only the end is carried. */
    left_out: size.optional(),
  }),
  z.strictObject({ type: z.literal('furnished'), because: z.string().nullable() }),
  z.strictObject({ type: z.literal('handed'), name: path, because: z.string().nullable() }),
  /** Nothing of the executor is open any more. */
  z.strictObject({ type: z.literal('gone') }),
  /** The program has put more into this place than it may. */
  z.strictObject({ type: z.literal('full'), place: path }),
  z.strictObject({ type: z.literal('sealed'), files: z.array(Sealed) }),
]);
export type FromTask = z.infer<typeof FromTask>;
