import { createHash } from 'node:crypto';
import { isJsonObject, type Json } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import type { ChatMessage } from '../../client/protocol/request-schemas.ts';
import { noTurn, type TurnId, turnToChoose } from '../../timeline/ids.ts';
import { toBlockPath } from '../../timeline/paths.ts';
import type { ConversationRow, EventDraft } from '../../timeline/ports/store.ts';
import { withoutUndefined } from '../feed/wire-json.ts';
import type { HostedFile } from '../files/host-file.ts';
import type { BundleDirectory, DeclaredKind } from '../ports/bundle-directory.ts';
import { type Answer, isAnswer, readAnswer } from './read-answer.ts';

/** What a message is, once its conversation is known. */
export type IntakeEvent = {
  /** Block type of the event: `user.prompt` or `external.<kind>`. */
  readonly type: string;
  /** Its block type when it joins an open turn, if that differs. */
  readonly joiningType?: string;
  readonly text: string;
  readonly payload: Json | undefined;
  readonly reactive: boolean;
  readonly needsTurn: boolean;
  /** Rounds that an event of a declared kind adds to the turn it joins. */
  readonly credit?: 0 | 1;
  readonly answer?: Answer;
  /** The turn that it must join, regardless of the message. */
  readonly expectTurn?: TurnId;
  /** Why the event is refused. A message that was accepted before under the same id still gets its first answer. */
  readonly refusal?: Refusal;
};

type Place = Parameters<typeof readAnswer>[2] & {
  readonly bundle: string;
  readonly bundles: BundleDirectory;
};

/** Refusals `invalid_input`, `not_found`, `unknown_kind`. */
export async function classifyMessage(
  message: ChatMessage,
  row: ConversationRow | undefined,
  place: Place,
): Promise<IntakeEvent> {
  if (!isAnswer(message)) return classifyEvent(message, row, place);
  return answerEvent(await readAnswer(message, row, place));
}

/**
 * The turn must be open. A refused answer is still passed to the store: if it was accepted before, the first answer is
 * repeated.
 */
function answerEvent(answer: Answer): IntakeEvent {
  const { event, turn = noTurn, refusal } = answer;
  const plain = { text: '', payload: undefined, reactive: true, needsTurn: true };
  const no = refusal ? { refusal, expectTurn: noTurn } : { expectTurn: turn };
  return { ...plain, type: event.type, answer, ...no };
}

function classifyEvent(
  message: ChatMessage,
  row: ConversationRow | undefined,
  { bundle, bundles }: { bundle: string; bundles: BundleDirectory },
): IntakeEvent {
  const { kind, text = '', payload } = message;
  const plain = { text, payload, reactive: true, needsTurn: false };

  if (kind === 'prompt' || kind === 'followup') checkSpeech(message);
  if (kind === 'followup' || kind === 'steer') checkConversation(message, row);
  switch (kind) {
    case 'prompt':
      // A prompt during an open turn is a followup; a turn has one prompt.
      return { ...plain, type: 'user.prompt', joiningType: 'external.followup' };
    case 'followup':
      return { ...plain, type: 'external.followup' };
    case 'steer':
      return { ...plain, type: 'external.steer', needsTurn: true };
    default:
      return declared(message, { bundle, bundles });
  }
}

/**
 * The blocks of an event and what came with it, in order. `$turn` is the turn that the store chooses. Only the store knows,
 * under its lock, whether they open a turn or join one.
 */
export function toDrafts(
  message: ChatMessage,
  event: IntakeEvent,
  { files, transcript }: Accompaniment,
): readonly EventDraft[] {
  return [...transcriptDrafts(message, transcript), ...eventDrafts(message, event, files)];
}

type Accompaniment = {
  readonly files: readonly HostedFile[];
  readonly transcript?: string | undefined;
};

function transcriptDrafts(
  { message_id: event }: ChatMessage,
  transcript: string | undefined,
): readonly EventDraft[] {
  if (transcript === undefined) return [];
  const type = 'external.transcript';
  const path = toBlockPath(`ar:$turn.${type}.${event}`);
  const text = transcript.toWellFormed();
  return [{ turn: turnToChoose, author: 'user', event, type, path, text, data: {} }];
}

function eventDrafts(
  message: ChatMessage,
  { type, joiningType, text, payload, credit, answer }: IntakeEvent,
  files: readonly HostedFile[],
): readonly EventDraft[] {
  const { message_id: event, target_turn_id, options } = message;
  if (answer) return [{ turn: turnToChoose, author: 'user', event, ...answer.event }];
  const data = withoutUndefined({ payload, target_turn_id, credit, options });
  const common = { turn: turnToChoose, author: 'user' as const, event };
  const pathIn = (form: string, file?: string) => pathOf(form, { event, file });
  const joining = (joined: string, file?: string) =>
    joiningType === undefined ? {} : { joining: { type: joined, path: pathIn(joiningType, file) } };
  const attached = files.map(
    ({ name, mime, blob, preview, text: own }): EventDraft => ({
      ...common,
      type: 'user.attachment',
      path: pathIn(type, name),
      ...joining('user.attachment', name),
      mime,
      blob,
      data: { filename: name, size: blob.size, ...(own && { text: { ...own } }) },
      ...(preview !== undefined && { text: preview }),
    }),
  );
  const said = { path: pathIn(type), ...joining(joiningType ?? type), text, data };
  return [{ ...common, type, ...said }, ...attached];
}

/** The path of an event of this type, or of one of its files. */
function pathOf(type: string, { event, file }: { event: string; file: string | undefined }) {
  const isPrompt = type === 'user.prompt';
  if (file === undefined)
    return toBlockPath(isPrompt ? 'ar:$turn.user.prompt' : `ar:$turn.${type}.${event}`);
  const folder = isPrompt ? 'fi:$turn.user.attachments' : `fi:$turn.${type}.attachments/${event}`;
  return toBlockPath(`${folder}/${file}`);
}

/** Equal for repetitions of a message, and different for any other: key order and encoding of files do not count. */
export function digestOf(
  message: ChatMessage,
  files: readonly HostedFile[],
  transcript?: string,
): string {
  const attachments = files.map(({ name, mime, blob }) => ({ name, mime, hash: blob.hash }));
  const body = JSON.stringify({ ...message, attachments, transcript }, sortKeys);
  return `sha256:${createHash('sha256').update(body).digest('hex')}`;
}

function sortKeys(_: string, value: Json): Json {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function checkSpeech({ text = '', attachments = [], payload }: ChatMessage): void {
  if (text.trim() !== '' || attachments.length > 0 || payload !== undefined) return;
  throw new Refusal('invalid_input', 'text: text or a file is required');
}

function checkConversation(message: ChatMessage, row: ConversationRow | undefined): void {
  const { kind, conversation_id } = message;
  if (conversation_id === undefined) {
    throw new Refusal('invalid_input', `conversation_id: required for a ${kind}`);
  }
  if (!row) throw new Refusal('not_found', `conversation ${conversation_id} not found`);
}

function declared(
  message: ChatMessage,
  { bundle, bundles }: { bundle: string; bundles: BundleDirectory },
) {
  const found = bundles.kind(bundle, message.kind);
  if (found) return classifyDeclared(message, found);
  throw new Refusal(
    'unknown_kind',
    `bundle "${bundle}" does not declare the event kind "${message.kind}"`,
  );
}

/** An event of a kind that a bundle declares. Refusal `invalid_input`. */
export function classifyDeclared(
  { kind, payload = null, text }: ChatMessage,
  declaredKind: DeclaredKind,
): IntakeEvent {
  const parsed = declaredKind.parse(payload);
  if (!parsed.ok) {
    const places = parsed.violations.map(
      ({ path, message }) => `payload${path && `.${path}`}: ${message}`,
    );
    throw new Refusal('invalid_input', places.join('; '));
  }
  return {
    type: `external.${kind}`,
    text: text ?? parsed.text,
    payload: parsed.payload,
    reactive: declaredKind.reactive,
    credit: declaredKind.credit,
    needsTurn: false,
  };
}
