import type { Json, JsonObject } from '../../../base/json.ts';
import { fileUrl } from '../file-url.ts';
import type {
  TaskArtifact,
  TaskMessage,
  TaskPart,
  TaskPhase,
  TaskState,
  TaskStatus,
} from './task-state.ts';

/** `1.0` writes the JSON of its protocol buffers, `0.3` objects with a `kind`. */
export type A2aVersion = '1.0' | '0.3';

export type TaskNames = {
  readonly version: A2aVersion;
  readonly task: string;
  readonly context: string;
  /** Where this server is, for the addresses of files. */
  readonly origin: string;
};

const phases: Readonly<Record<TaskPhase, string>> = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  input_required: 'TASK_STATE_INPUT_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  canceled: 'TASK_STATE_CANCELED',
  failed: 'TASK_STATE_FAILED',
};

/** A task as a response to a request. */
export function toTask(state: TaskState, names: TaskNames): JsonObject {
  const { task: id, context: contextId, version } = names;
  return {
    ...(version === '0.3' ? { kind: 'task' } : {}),
    ...{ id, contextId },
    status: toStatus(state.status, names),
    artifacts: state.artifacts.map((each) => toArtifact(each, names)),
    history: state.history.map((each) => toMessage(each, names)),
  };
}

/** The events of a stream, each as one result. */
export function taskEvent(state: TaskState, names: TaskNames): JsonObject {
  const task = toTask(state, names);
  return names.version === '0.3' ? task : { task };
}

export function statusEvent(
  status: TaskStatus,
  names: TaskNames,
  { final }: { final: boolean },
): JsonObject {
  const { task: taskId, context: contextId } = names;
  const update = { taskId, contextId, status: toStatus(status, names) };
  if (names.version === '1.0') return { statusUpdate: update };
  return { kind: 'status-update', ...update, final };
}

export function artifactEvent(
  artifact: TaskArtifact,
  names: TaskNames,
  { append, lastChunk }: { append: boolean; lastChunk: boolean },
): JsonObject {
  const { task: taskId, context: contextId } = names;
  const update = { taskId, contextId, artifact: toArtifact(artifact, names), append, lastChunk };
  return names.version === '1.0'
    ? { artifactUpdate: update }
    : { kind: 'artifact-update', ...update };
}

function toStatus({ phase, message, at }: TaskStatus, names: TaskNames): JsonObject {
  const state = names.version === '1.0' ? phases[phase] : phase.replace('_', '-');
  return {
    state,
    ...(message ? { message: toMessage(message, names) } : {}),
    ...(at === '' ? {} : { timestamp: at }),
  };
}

function toMessage({ id, role, parts }: TaskMessage, names: TaskNames): JsonObject {
  const isNew = names.version === '1.0';
  return {
    ...(isNew ? {} : { kind: 'message' }),
    messageId: id,
    role: isNew ? (role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT') : role,
    parts: parts.map((part) => toPart(part, names)),
    contextId: names.context,
    taskId: names.task,
  };
}

function toArtifact({ id, name, parts }: TaskArtifact, names: TaskNames): JsonObject {
  return { artifactId: id, name, parts: parts.map((part) => toPart(part, names)) };
}

function toPart(part: TaskPart, { version, context, origin }: TaskNames): Json {
  const isNew = version === '1.0';
  if ('text' in part) return isNew ? { text: part.text } : { kind: 'text', text: part.text };
  if ('data' in part) return isNew ? { data: part.data } : { kind: 'data', data: part.data };
  const { path, name, mime } = part.file;
  const url = new URL(fileUrl(context, path), origin).href;
  if (isNew) return { url, filename: name, mediaType: mime };
  return { kind: 'file', file: { uri: url, name, mimeType: mime } };
}
