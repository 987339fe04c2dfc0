import type { Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Desk, openDesk, say, takeTurn } from './bad-input-desk.ts';

// proves: bad.socket-payload, bad.oversized-attachment, gateway.attachments

const mib = 1024 * 1024;
/** As the server makes them. */
const annsId = `conv_${'ann'.repeat(6)}zz`;
const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

let desk: Desk;
let mallory: Socket;
let kept: Awaited<ReturnType<Desk['conversations']>>;
beforeAll(async () => {
  desk = await openDesk();
  await takeTurn(await desk.connect({ user: 'ann' }), { conversation_id: annsId });
  mallory = await desk.connect({ user: 'mallory' });
  await takeTurn(mallory, { conversation_id: 'conv_mine' });
  kept = await desk.conversations('mallory');
});
afterAll(() => desk[Symbol.asyncDispose]());

beforeEach(async () => {
  if (!mallory.connected) mallory = await desk.connect({ user: 'mallory' });
});
afterEach(async () => {
  expect(await desk.conversations('mallory')).toEqual(kept);
  expect(await desk.answer()).toBe('All is well.');
});

type Refused = { readonly send: unknown; readonly code: string; readonly says: RegExp };

const message = (more: object) => ({ message_id: 'bad', text: 'Hello', ...more });
const file = (name: string, data: unknown, mime = 'text/plain') =>
  message({ attachments: [{ name, mime, data }] });

const payloads: Readonly<Record<string, Refused>> = {
  'a text instead of an object': { send: 'hello', code: 'invalid_input', says: /expected object/ },
  'no message at all': { send: undefined, code: 'invalid_input', says: /expected object/ },
  'a list': { send: [message({})], code: 'invalid_input', says: /expected object/ },
  'no message id': { send: { text: 'Hello' }, code: 'invalid_input', says: /^message_id: / },
  'a number for the message id': {
    send: message({ message_id: 7 }),
    code: 'invalid_input',
    says: /^message_id: .*string/,
  },
  'a path for the message id': {
    send: message({ message_id: '../../etc' }),
    code: 'invalid_input',
    says: /^message_id: an id must have 1 to 128 letters/,
  },
  'wrong types in several places': {
    send: message({ text: {}, kind: 3, attachments: 'file' }),
    code: 'invalid_input',
    says: /kind: .*text: .*attachments: /,
  },
  'a key that nobody knows': {
    send: message({ colour: 'red' }),
    code: 'invalid_input',
    says: /colour/,
  },
  'a text of more than 32,000 characters': {
    send: message({ text: 'x'.repeat(32_001) }),
    code: 'invalid_input',
    says: /^text: .*32000/,
  },
  'a payload of more than 64,000 characters': {
    send: message({ payload: 'x'.repeat(64_001) }),
    code: 'invalid_input',
    says: /^payload: must have at most 64000/,
  },
  'neither text nor a file': {
    send: message({ text: '  ' }),
    code: 'invalid_input',
    says: /text or a file is required/,
  },
  'a bundle that does not exist': {
    send: message({ bundle_id: 'constructor' }),
    code: 'not_found',
    says: /bundle "constructor" not found/,
  },
  'an agent that does not exist': {
    send: message({ agent_id: 'nobody' }),
    code: 'not_found',
    says: /agent "nobody" in "desk" not found/,
  },
  'the conversation of somebody else': {
    send: message({ conversation_id: annsId }),
    code: 'not_found',
    says: /conversation conv_ann\w* not found/,
  },
  'a steer without a conversation': {
    send: message({ kind: 'steer' }),
    code: 'invalid_input',
    says: /^conversation_id: required for a steer/,
  },
  'a followup without a conversation': {
    send: message({ kind: 'followup' }),
    code: 'invalid_input',
    says: /^conversation_id: required for a followup/,
  },
  'a followup to a conversation that never was': {
    send: message({ kind: 'followup', conversation_id: 'conv_never' }),
    code: 'not_found',
    says: /conversation conv_never not found/,
  },
  'a steer where nothing is at work': {
    send: message({ kind: 'steer', conversation_id: 'conv_mine' }),
    code: 'turn_closed',
    says: /no turn is open/,
  },
  'a turn that is over': {
    send: message({ conversation_id: 'conv_mine', expected_turn_id: 'turn_old' }),
    code: 'turn_changed',
    says: /turn_old is no longer the open turn/,
  },
  'a kind that the bundle does not declare': {
    send: message({ kind: 'fire' }),
    code: 'unknown_kind',
    says: /bundle "desk" does not declare the event kind "fire"/,
  },
  'a declared kind with another payload': {
    send: message({ kind: 'alert', payload: { level: 'high' } }),
    code: 'invalid_input',
    says: /^payload.level: /,
  },
  'a decision of nothing': {
    send: message({ kind: 'approval.decision', payload: {} }),
    code: 'invalid_input',
    says: /^conversation_id: required for approval.decision/,
  },
  'an image of more than 5 MiB': {
    send: file('big.png', Buffer.concat([png, Buffer.alloc(5 * mib)]), 'image/png'),
    code: 'attachment_refused',
    says: /big.png has 5242888 bytes; the limit for image\/png is 5242880/,
  },
  'files of more than 25 MiB together': {
    send: message({
      attachments: ['a.txt', 'b.txt', 'c.txt', 'd.txt'].map((name) => ({
        name,
        data: Buffer.alloc(7 * mib, 97),
      })),
    }),
    code: 'attachment_refused',
    says: /d.txt and the files before it have 29360128 bytes; the limit for a message is 26214400/,
  },
  'an image of more than 5 MiB in base64': {
    send: file(
      'big.png',
      Buffer.concat([png, Buffer.alloc(5 * mib)]).toString('base64'),
      'image/png',
    ),
    code: 'attachment_refused',
    says: /big.png has 5242888 bytes/,
  },
  'base64 that is none': {
    send: file('a.txt', 'no base64!'),
    code: 'invalid_input',
    says: /^attachments\[0\].data: /,
  },
  'a file without content': {
    send: file('a.txt', Buffer.alloc(0)),
    code: 'attachment_refused',
    says: /a.txt is empty/,
  },
  'neither data nor an upload': {
    send: file('a.txt', undefined),
    code: 'invalid_input',
    says: /either data or upload_id/,
  },
  'an upload of nobody': {
    send: message({ attachments: [{ name: 'a.txt', upload_id: 'op_x' }] }),
    code: 'attachment_refused',
    says: /op_x is not a known upload; send the file again/,
  },
  'more than 20 files': {
    send: message({ attachments: Array(21).fill({ name: 'a.txt', data: 'YQ==' }) }),
    code: 'invalid_input',
    says: /^attachments: .*20/,
  },
  'a picture that is none': {
    send: file('a.png', Buffer.from('hello'), 'image/png'),
    code: 'attachment_refused',
    says: /a.png is text, not image.png/,
  },
  'a program': {
    send: file('a.exe', Buffer.from('MZ'), 'application/x-msdownload'),
    code: 'attachment_refused',
    says: /a.exe is text declared as application.x-msdownload/,
  },
  'a file named like what every object has': {
    send: file('a.constructor', Buffer.from('x'), ''),
    code: 'attachment_refused',
    says: /a.constructor is text declared as no type/,
  },
  'a file without a name': {
    send: file('', Buffer.from('x')),
    code: 'invalid_input',
    says: /^attachments\[0\].name: /,
  },
};

for (const [what, { send, code, says }] of Object.entries(payloads)) {
  test(`${what} is refused as ${code}, and nothing of it is kept`, async () => {
    const { ok, status, error } = await say(mallory, send);
    expect({ ok, status, code: error?.code }).toEqual({ ok: false, status: 'refused', code });
    expect(error?.message).toMatch(says);
  });
}
