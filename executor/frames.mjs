// The stream to the supervisor. A frame has four bytes of length, one line of JSON, and large texts.

import { isAscii } from 'node:buffer';
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';

export const frameBytesMax = 8 * 1024 * 1024;
const readBytes = 256 * 1024;
const keptBytesMax = 4 * 1024 * 1024;
const [textCharsMin, textsMax] = [2_048, 32];
const lost = 70;

const { exit } = process;
const utf8 = new TextEncoder();
/** Its `then` is only a microtask; queueMicrotask creates an async resource each time. */
const soon = Promise.resolve();
let take;
/** Outgoing bytes, and their number. */
let out = Buffer.alloc(0);
let ready = 0;
/** Bytes of an incomplete frame, their number, and the number of bytes that the frame needs. */
let part = Buffer.allocUnsafe(readBytes);
let filled = 0;
let wanted = 4;

/** The stream on fd 3. */
export const stream = new Socket({
  fd: 3,
  onread: { buffer: () => (filled === 0 ? part : part.subarray(filled)), callback: read },
});

/** Calls `listener` for each incoming message. */
export function hear(listener) {
  take = listener;
  for (const end of ['close', 'error']) stream.once(end, () => exit(lost));
}

/** Sends a message, together with others of the same tick. False: it is too large for a frame and is not sent. */
export function send(message) {
  const large = largeTexts(message.input);
  if (large.some(([, { length }]) => length > frameBytesMax)) return false;
  // Counting bytes takes longer than writing them, and in most texts each character is one byte.
  return put(message, large, charsOf) ?? put(message, large, bytesOf);
}

/** Writes a line of JSON, followed by the large texts of its input. Undefined: a text does not have the given size. */
function put(message, large, sizeOf) {
  const line = large.length === 0 ? JSON.stringify(message) : lineOf(message, large, sizeOf);
  const begun = ready;
  ready += 4;
  write(line);
  const fits = large.every(([, text]) => write(text) === sizeOf(text));
  const length = ready - begun - 4;
  if (!fits || length > frameBytesMax) {
    ready = begun;
    return fits ? false : undefined;
  }
  out.writeUInt32BE(length, begun);
  if (begun === 0) soon.then(flush);
  return true;
}

function lineOf(message, large, sizeOf) {
  const input = { ...message.input };
  const texts = large.map(([name, text]) => {
    input[name] = '';
    return [['input', name], sizeOf(text)];
  });
  return `${JSON.stringify({ ...message, input, texts })}\n`;
}

function charsOf({ length }) {
  return length;
}

function bytesOf(text) {
  return Buffer.byteLength(text);
}

/** Writes a text in UTF-8 and returns the number of bytes. */
function write(text) {
  for (let room = text.length; ; room *= 3) {
    makeRoom(room);
    const { read, written } = utf8.encodeInto(text, out.subarray(ready));
    if (read < text.length) continue;
    ready += written;
    return written;
  }
}

function makeRoom(bytes) {
  if (out.length - ready >= bytes) return;
  const larger = Buffer.allocUnsafe(Math.max(readBytes, 2 * out.length, ready + bytes));
  out.copy(larger, 0, 0, ready);
  out = larger;
}

/** The large well-formed texts directly in an input. */
function largeTexts(input = {}) {
  const found = [];
  for (const name of Object.keys(input)) {
    const text = input[name];
    if (typeof text !== 'string' || text.length < textCharsMin || !text.isWellFormed()) continue;
    if (found.push([name, text]) === textsMax) break;
  }
  return found;
}

/** Sends the messages of one tick at once, past the stream while the other side reads. Reuses the memory. */
function flush() {
  const bytes = out.subarray(0, ready);
  const kept = out.length > keptBytesMax ? Buffer.alloc(0) : out;
  const sent = stream.writableLength === 0 ? sentAtOnce(bytes) : 0;
  out = sent < bytes.length ? Buffer.alloc(0) : kept;
  ready = 0;
  if (sent === bytes.length) return;
  stream.write(bytes.subarray(sent), () => {
    if (ready === 0) out = kept;
  });
}

function sentAtOnce(bytes) {
  try {
    return writeSync(3, bytes);
  } catch (error) {
    if (error.code !== 'EAGAIN') exit(lost);
    return 0;
  }
}

/** Takes the messages from the received bytes. The next read continues after the remaining bytes. */
function read(count) {
  filled += count;
  const at = takeAll();
  if (at > 0) part.copyWithin(0, at, filled);
  filled -= at;
  const isSpare = filled === 0 && part.length > keptBytesMax;
  if (!isSpare && wanted <= part.length) return;
  part = Buffer.concat([part.subarray(0, filled)], Math.max(wanted, readBytes));
}

/** Takes all complete frames; the rest needs `wanted` bytes. */
function takeAll() {
  let at = 0;
  const next = () => at + 4 + (filled - at < 4 ? 0 : part.readUInt32BE(at));
  for (let end = next(); end <= filled; end = next()) {
    take(parse(at + 4, end));
    at = end;
  }
  wanted = next() - at;
  return at;
}

/** Parses one line of JSON and inserts the texts after its line break, if the frame is long enough to have any. */
function parse(from, end) {
  if (end - from < textCharsMin) return JSON.parse(part.toString('utf8', from, end));
  const body = part.subarray(from, end);
  const lineEnd = body.indexOf(10);
  if (lineEnd < 0) return JSON.parse(textOf(body));
  const message = JSON.parse(textOf(body.subarray(0, lineEnd)));
  let at = lineEnd + 1;
  for (const [place, bytes] of message.texts) {
    const name = place.pop();
    const holder = place.reduce((within, key) => within[key], message);
    holder[name] = textOf(body.subarray(at, at + bytes));
    at += bytes;
  }
  return message;
}

/** Most texts are ASCII, which is detected and decoded in a fraction of the time. */
function textOf(bytes) {
  return isAscii(bytes) ? bytes.latin1Slice() : bytes.toString();
}
