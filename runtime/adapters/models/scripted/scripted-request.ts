import { Fault } from '../../../base/fault.ts';
import type { Protocol } from '../../../channels/protocol/reply-piece.ts';
import { type ModelRequest, messagesOf, type PromptMessage } from '../../../engine/ports/model.ts';
import { mismatchShownChars } from './limits.ts';

/** A request as text, which `when` is matched against and tests can read. */
export type ScriptedRequest = {
  readonly role: ModelRequest['role'];
  readonly text: string;
  /** The same after the system text, message by message. A prompt in text form is one message of the user. */
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[];
  /** Ids of the offered tools, if the engine passes them. */
  readonly tools: readonly string[];
  /** What is offered through the provider's own tool calling. */
  readonly offer?: NonNullable<ModelRequest['offer']>;
  readonly format?: 'json';
  /** How the reply is written. Absent: channels. */
  readonly protocol?: Protocol;
  /** Undefined for a request outside a conversation. */
  readonly conversation: string | undefined;
};

export function toScriptedRequest(request: ModelRequest): ScriptedRequest {
  const { role, system, tools = [], conversation, offer, format, protocol } = request;
  const messages = messagesOf(request).map((message) => ({
    role: message.role,
    text: message.parts.map(toText).join('\n'),
  }));
  const text = [system, ...messages.map((message) => message.text)].join('\n');
  return {
    ...{ role, text, messages, tools, conversation },
    ...(offer === undefined ? {} : { offer }),
    ...(format === undefined ? {} : { format }),
    ...(protocol === undefined ? {} : { protocol }),
  };
}

/** Turns of the conversation, in the order in which the request mentions them. */
function turnsOf(text: string): readonly string[] {
  return distinct(text, /(?:\bTURN (?=turn_)|^TURN (?=t\d+$))(\w+)/gm);
}

const names = {
  turn: turnsOf,
  call: callsOf,
};

/** Calls by id; if the request has only short names, those of its last turn. */
function callsOf(text: string): readonly string[] {
  const ids = distinct(text, /\b(tc_\w+)/g);
  const lastTurn = text.slice(Math.max(0, text.lastIndexOf('\nTURN ')));
  return ids.length > 0 ? ids : distinct(lastTurn, /^\[TOOL (?:CALL|RESULT) (c\d+)\]/gm);
}

/**
 * `{{turn}}` is the last turn that the request names, `{{turn:1}}` the first; `{{call}}` and `{{call:1}}` work the same
 * way for calls. A script cannot know these ids in advance, and file paths contain them.
 *
 * @throws Fault SCRIPT_MISMATCH if the request names fewer.
 */
export function fillIn(template: string, asked: ScriptedRequest): string {
  return template.replace(
    /\{\{(turn|call)(?::(\d+))?\}\}/g,
    (mark, kind: keyof typeof names, nth) => {
      const ids = names[kind](asked.text);
      const id = ids.at(nth === undefined ? -1 : Number(nth) - 1);
      if (id === undefined) throw mismatch(`${mark} names none of ${ids.length}`, asked);
      return id;
    },
  );
}

export function mismatch(because: string, { role, text }: ScriptedRequest): Fault {
  // ANNOUNCE is the same in every request; a reply depends on what precedes it.
  const announce = text.lastIndexOf('\nANNOUNCE - ');
  const end = text.slice(0, announce === -1 ? undefined : announce).slice(-mismatchShownChars);
  return new Fault('SCRIPT_MISMATCH', { because: `${because}; the ${role} request ends: ${end}` });
}

/** A part as text; in message form a call has its name on the wire. */
function toText(part: PromptMessage['parts'][number]): string {
  switch (part.kind) {
    case 'text':
    case 'result':
      return part.text;
    case 'call':
      return `[call ${part.name}] ${JSON.stringify(part.input)}`;
    case 'carry':
      return `[reasoning ${part.provider}]`;
    case 'image':
    case 'document':
      return `[${part.kind} ${part.mime ?? ''}]`;
  }
}

function distinct(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ''))];
}
