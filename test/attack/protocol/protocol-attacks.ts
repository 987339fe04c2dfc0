import type { Language } from '../../../runtime/tools/ports/sandbox.ts';
import { protocolVersion } from '../../../supervisor/protocol/messages.ts';

/** What a program may write on the stream that is not its own to write. */
export type ProtocolAttack = {
  /** Frames as JSON texts, each with its length before it; or bytes as they are. */
  readonly frames?: readonly string[];
  readonly bytes?: string;
  /** What must come of it: the program ends as a broken protocol, or goes on and got nothing. */
  readonly ends: 'protocol' | 'unheard';
};

const call = (change: Record<string, unknown>) =>
  JSON.stringify({ type: 'tool_call', id: 'x1', tool: 'a.b', input: {}, reason: '', ...change });
const fetch = (change: Record<string, unknown>) =>
  JSON.stringify({ type: 'fetch_file', id: 'x1', path: 'fi:x', ...change });
const textFrame = (change: Record<string, unknown>, bytes: number) =>
  call({ input: { text: '' }, texts: [[['input', 'text'], bytes]], ...change });
const deep = `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`;

/** Against the frames of a call: `a.b` is granted, and nothing else. */
export const protocolAttacks: Readonly<Record<string, ProtocolAttack>> = {
  'a tool that was not granted': { frames: [call({ tool: 'a.hidden' })], ends: 'unheard' },
  'a tool of the platform': { frames: [call({ tool: 'react.write' })], ends: 'unheard' },
  'a tool named like a part of an object': {
    frames: [call({ tool: '__proto__' })],
    ends: 'unheard',
  },
  'a tool with a space at the end': { frames: [call({ tool: 'a.b ' })], ends: 'unheard' },
  'a tool in capitals': { frames: [call({ tool: 'A.B' })], ends: 'unheard' },
  'a tool with a NUL in it': { frames: [call({ tool: 'a.b\0' })], ends: 'unheard' },
  'a tool without a name': { frames: [call({ tool: '' })], ends: 'protocol' },
  'a tool whose name is not a text': { frames: [call({ tool: ['a.b'] })], ends: 'protocol' },
  'an input that is a list': { frames: [call({ input: [] })], ends: 'protocol' },
  'an input that is too deep': {
    frames: [call({}).replace('"input":{}', `"input":${deep}`)],
    ends: 'unheard',
  },
  'an id without end': { frames: [call({ id: 'x'.repeat(65) })], ends: 'protocol' },
  'a word too many': { frames: [call({ fence: 9 })], ends: 'protocol' },
  'a forged result': {
    frames: ['{"type":"result","id":"1","more":false}\n{}'],
    ends: 'protocol',
  },
  'a forged end': { frames: ['{"type":"done","envelope":{"ok":true}}'], ends: 'protocol' },
  'a forged exit': { frames: ['{"type":"exit","code":0}'], ends: 'protocol' },
  'a forged line of output': { frames: ['{"type":"stdout","text":"forged"}'], ends: 'protocol' },
  'a forged file': { frames: ['{"type":"file","path":"outputs/a.txt"}'], ends: 'protocol' },
  'a grant for itself': {
    frames: ['{"type":"start","granted":["a.hidden"]}'],
    ends: 'protocol',
  },
  'a second hello': {
    frames: [`{"type":"hello","version":${protocolVersion}}`],
    ends: 'protocol',
  },
  'a file that is not there': { frames: [fetch({ path: 'fi:../../etc/passwd' })], ends: 'unheard' },
  'a file with a path without end': {
    frames: [fetch({ path: 'x'.repeat(2_001) })],
    ends: 'protocol',
  },
  'a file for somebody else': { frames: [fetch({ tenant: 'other' })], ends: 'protocol' },
  'bytes behind a call': { frames: [`${call({})}\n{}`], ends: 'protocol' },
  'a text that is longer than what came': {
    frames: [`${textFrame({}, 9)}\nabc`],
    ends: 'protocol',
  },
  'a text that is shorter than what came': {
    frames: [`${textFrame({}, 2)}\nabc`],
    ends: 'protocol',
  },
  'a text in the place of another': {
    frames: [`${textFrame({ input: { text: 'here' } }, 3)}\nabc`],
    ends: 'protocol',
  },
  'a text in the place of nothing': {
    frames: [`${textFrame({ input: {} }, 3)}\nabc`],
    ends: 'protocol',
  },
  'a text in what all objects are made of': {
    frames: [`${call({ texts: [[['input', '__proto__', 'tool'], 3]] })}\nabc`],
    ends: 'protocol',
  },
  'a tool that was not granted, sent as a text': {
    frames: [`${call({ tool: '', texts: [[['tool'], 8]] })}\na.hidden`],
    ends: 'protocol',
  },
  'texts that nobody sent': { frames: [call({ texts: [] })], ends: 'protocol' },
  'a payload of nothing': { frames: ['\n{}'], ends: 'protocol' },
  'a violation of somebody else': {
    frames: ['{"type":"violation","because":"forged"}'],
    ends: 'protocol',
  },
  'no object': { frames: ['null'], ends: 'protocol' },
  'half a value': { frames: ['{"type":'], ends: 'protocol' },
  'a number that is none': { frames: [call({}).replace('{}', '{"a":NaN}')], ends: 'protocol' },
  'a hundred mebibytes at once': { bytes: '06400000', ends: 'protocol' },
  'four gibibytes at once': { bytes: 'ffffffff', ends: 'protocol' },
  'nothing at all': { bytes: '00000000', ends: 'protocol' },
  'bytes that are not text': { bytes: '00000004fffefdfc', ends: 'protocol' },
  'a frame that never ends': { bytes: '000000107b', ends: 'unheard' },
  'a length that never ends': { bytes: '0000', ends: 'unheard' },
};

/**
 * Writes it, and waits for what must come of it: its own end, or an answer to what it asks after it, since frames are
 * taken in their order. Behind half a frame there is nothing to ask.
 */
export function attacking(attack: ProtocolAttack, language: Language): string {
  const { frames = [], bytes = '', ends } = attack;
  const framed = frames.map((text) => {
    const body = Buffer.from(text);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length);
    return Buffer.concat([length, body]);
  });
  const hex = Buffer.concat([...framed, Buffer.from(bytes, 'hex')]).toString('hex');
  const way = ends === 'protocol' ? 'end' : bytes === '' ? 'answer' : 'nothing';
  return language === 'python'
    ? `import os, time\nos.write(3, bytes.fromhex("${hex}"))\n${waits.python[way]}`
    : `require('node:fs').writeSync(3, Buffer.from('${hex}', 'hex'));\n${waits.javascript[way]}`;
}

const waits = {
  python: { end: 'time.sleep(600)', answer: 'await ctx_tools.fetch_ctx("x")', nothing: '' },
  javascript: {
    end: 'await new Promise((r) => setTimeout(r, 600_000))',
    answer: `await ctx_tools.fetch_ctx('x')`,
    nothing: '',
  },
} as const;
