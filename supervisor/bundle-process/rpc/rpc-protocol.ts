import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/base/json.ts';
import type { OutputSchema } from '../../../runtime/sdk/contract/agent-settings.ts';
import { callIdSchema, turnIdSchema } from '../../../runtime/timeline/ids.ts';
import type { TurnPage } from '../../../runtime/timeline/ports/store.ts';
import type { SourceRow } from '../../../runtime/timeline/view.ts';
import { waitMsMax } from '../../../runtime/tools/limits.ts';
import type {
  FileRef,
  ResolvedPath,
  TurnServices,
} from '../../../runtime/tools/ports/call-services.ts';
import type { ExternalAnswer, PreCall, ToolResult } from '../../../runtime/tools/ports/tool.ts';
import { conversationMethods } from './conversation-methods.ts';
import { chunkBytesMax, keysMax } from './limits.ts';
import { Search, Turns } from './memory-queries.ts';
import { type Method, method } from './peer.ts';
import { CancelReason } from './wire-errors.ts';

export const AnyJson = z.custom<Json>((value) => value !== undefined);
const Input = z.custom<JsonObject>(isJsonObject);
const Text = z.string();
const Nothing = z.custom<void>(() => true);
/** Answers of the worker are trusted and not validated. */
const trust = <T>() => z.custom<T>(() => true);
export const Call = z.int().positive();

const Violations = z.array(z.strictObject({ path: Text, message: Text }));
export const ToolFailure = z.strictObject({
  code: Text,
  message: Text,
  retryable: z.boolean(),
  violations: Violations.exactOptional(),
});
const Result: z.ZodType<ToolResult> = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), ret: AnyJson }),
  z.strictObject({ ok: z.literal(false), error: ToolFailure, ret: AnyJson.exactOptional() }),
]);
const wait = z.number().positive().max(waitMsMax);
export const Question = z.strictObject({
  title: Text,
  detail: Text.exactOptional(),
  remember: z.enum(['once', 'turn', 'conversation']),
  timeoutMs: wait,
});
const Verdict: z.ZodType<PreCall> = z.discriminatedUnion('ok', [
  z.strictObject({
    ok: z.literal(true),
    ask: Question.exactOptional(),
    external: z.strictObject({ input: Input, timeoutMs: wait }).exactOptional(),
    delegated: z
      .strictObject({
        ...{ input: Input, timeoutMs: wait, agent: Text },
        rounds: z.int().positive().exactOptional(),
      })
      .exactOptional(),
  }),
  z.strictObject({ ok: z.literal(false), error: ToolFailure }),
]);

/** The context of a call for a process: `CallContext` without the view, which bundle tools do not see. */
export const Occasion = z.strictObject({
  scope: z.strictObject({ tenant: Text, project: Text, user: Text }),
  conversation: Text,
  turn: turnIdSchema,
  round: z.int(),
  call: callIdSchema,
  key: Text,
  approved: Text.exactOptional(),
  answer: trust<ExternalAnswer>().exactOptional(),
  now: Text,
  /** The call can make nested calls, which the worker performs. */
  nests: z.boolean(),
});
export type Occasion = z.infer<typeof Occasion>;

const ToolRun = z.strictObject({
  call: Call,
  agent: Text,
  tool: Text,
  input: Input,
  occasion: Occasion,
});
export type ToolRun = z.infer<typeof ToolRun>;

export type ToolMethod<Answer> = Method<ToolRun, Answer>;

const BundleOpening = z.strictObject({
  /** The built bundle. */
  module: Text,
  dir: Text,
  revision: Text,
  tenant: Text,
  project: Text,
  props: Input,
});
export type BundleOpening = z.infer<typeof BundleOpening>;

const Lines = z.array(z.tuple([Text, Text]));

/** A request to an operation; bodies are in base64. */
const OperationCall = z.strictObject({
  call: Call,
  operation: Text,
  /** Absent: the request is not authenticated. */
  user: Text.exactOptional(),
  request: z.strictObject({ method: Text, url: Text, headers: Lines, body: Text }),
});
export type OperationCall = z.infer<typeof OperationCall>;
const OperationReply = z.strictObject({ status: z.int(), headers: Lines, body: Text });

const JobRun = z.strictObject({ call: Call, job: Text, input: AnyJson });
export type JobRun = z.infer<typeof JobRun>;

/** Methods that the worker calls in a process. */
export const bundleMethods = {
  /** The handshake, sent once: answered when the bundle is loaded and its `onLoad` has ended. */
  open: method('open', BundleOpening, Nothing),
  /** `unshown`: number of notifications that were dropped. */
  run: method('run', ToolRun, z.strictObject({ result: Result, unshown: z.int().min(0) })),
  consider: method('consider', ToolRun, Verdict),
  answer: method('answer', OperationCall, OperationReply),
  work: method('work', JobRun, Nothing),
  /** Replaces the props; answered when `onPropsChanged` has ended. */
  props: method('props', z.strictObject({ props: Input }), Nothing),
  /** Answered at once, even if the call ignores it. */
  cancel: method('cancel', z.strictObject({ call: Call, why: CancelReason }), Nothing),
  /** Checks a model's answer against the schema of a running `generate`. */
  fits: method(
    'fits',
    z.strictObject({ generation: Text, value: AnyJson }),
    trust<ReturnType<OutputSchema['parse']>>(),
  ),
  /** Runs `dispose` and closes the resources; then the stream is closed. */
  close: method('close', z.strictObject({}), Nothing),
};

const Row = z.strictObject({ url: Text, title: Text, text: Text.exactOptional() });
const NewFile = z.strictObject({
  filepath: Text,
  mime: Text.exactOptional(),
  description: Text.exactOptional(),
  visibility: z.enum(['external', 'internal']).exactOptional(),
});
const StorageKey = z.strictObject({ space: Text, key: Text });

/** Methods that a process calls in the worker for a call. */
export const callMethods = {
  read: method('read', z.strictObject({ call: Call, path: Text }), trust<ResolvedPath | null>()),
  /** Returns the number of the stream to pull. */
  bytes: method('bytes', z.strictObject({ call: Call, path: Text }), z.int()),
  write: method(
    'write',
    z.strictObject({ call: Call, file: NewFile, stream: z.int() }),
    trust<FileRef>(),
  ),
  addSources: method(
    'add_sources',
    z.strictObject({ call: Call, rows: z.array(Row) }),
    trust<readonly SourceRow[]>(),
  ),
  search: method(
    'search',
    z.strictObject({ call: Call, query: Search }),
    trust<Awaited<ReturnType<TurnServices['search']>>>(),
  ),
  turns: method('turns', z.strictObject({ call: Call, query: Turns }), trust<TurnPage>()),
  callTool: method('call_tool', z.strictObject({ call: Call, tool: Text, input: Input }), Result),
};

/** Methods that a process calls for its bundle; `user` and spaces of a user only work while a call of that user is running. */
export const hostMethods = {
  secret: method(
    'secret',
    z.strictObject({ id: Text, user: Text.exactOptional() }),
    Text.nullable(),
  ),
  generate: method(
    'generate',
    z.strictObject({
      generation: Text,
      role: z.enum(['decision', 'answer', 'summary', 'selection', 'small']),
      prompt: Text,
      schema: Input.nullable(),
      /** `tc_…` of the requesting call, if there is one. */
      call: callIdSchema.exactOptional(),
    }),
    AnyJson,
  ),
  /** `call`: as for `generate`. Returns the script's RESULT. */
  script: method(
    'script',
    z.strictObject({ file: Text, input: AnyJson, call: callIdSchema }),
    AnyJson,
  ),
  ...conversationMethods,
  enqueue: method(
    'enqueue_job',
    z.strictObject({ job: Text, input: AnyJson, key: Text.exactOptional(), delayMs: z.number() }),
    z.strictObject({ job: Text }),
  ),
  get: method('storage_get', StorageKey, z.strictObject({ value: AnyJson.exactOptional() })),
  set: method(
    'storage_set',
    StorageKey.extend({ value: AnyJson, ttlMs: z.number().exactOptional() }),
    Nothing,
  ),
  delete: method('storage_delete', StorageKey, Nothing),
  keys: method(
    'storage_keys',
    z.strictObject({ space: Text, prefix: Text }),
    z.array(Text).max(keysMax),
  ),
};

/** Notifications of a process, which are not answered. */
export const notifications = {
  progress: method(
    'progress',
    z.strictObject({
      call: Call,
      text: Text.exactOptional(),
      fraction: z.number().exactOptional(),
      data: AnyJson.exactOptional(),
      append: z.literal(true).exactOptional(),
    }),
    Nothing,
  ),
  emit: method('emit', z.strictObject({ call: Call, type: Text, data: AnyJson }), Nothing),
  note: method(
    'note',
    z.strictObject({
      call: Call,
      text: Text,
      tag: z.enum(['P', 'D', 'S', 'A', 'K']).exactOptional(),
    }),
    Nothing,
  ),
  notice: method('notice', z.strictObject({ call: Call, code: Text, text: Text }), Nothing),
  /** A page is identified by its number within the call. */
  openPage: method(
    'open_page',
    z.strictObject({
      call: Call,
      page: z.int(),
      name: Text,
      mime: Text,
      title: Text.exactOptional(),
    }),
    Nothing,
  ),
  writePage: method(
    'write_page',
    z.strictObject({ call: Call, page: z.int(), text: Text }),
    Nothing,
  ),
  closePage: method('close_page', z.strictObject({ call: Call, page: z.int() }), Nothing),
  log: method(
    'log',
    z.strictObject({
      level: z.enum(['debug', 'info', 'warn', 'error']),
      message: Text,
      facts: Input,
    }),
    Nothing,
  ),
};

/** Byte streams, pulled at the pace of the reader: the next piece in base64, null at the end. Both sides serve both methods. */
export const streamMethods = {
  pull: method('pull', z.strictObject({ stream: z.int() }), Text.max(2 * chunkBytesMax).nullable()),
  drop: method('drop', z.strictObject({ stream: z.int() }), Nothing),
};
