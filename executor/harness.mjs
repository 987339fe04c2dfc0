// Runs one JavaScript program: takes it from fd 3, gives it its tools, ends with it.

import { cpSync, writeFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { pathToFileURL } from 'node:url';

const frameBytesMax = 8 * 1024 * 1024;
const readBytes = 256 * 1024;
const keptBytesMax = 4 * 1024 * 1024;
const [toolCharsMax, pathCharsMax] = [256, 2_000];
const [textCharsMin, textsMax] = [2_048, 32];
const version = 5;
const [terminated, lost] = [143, 70];

/** A tool said no, or failed. */
class ToolError extends Error {
  name = 'ToolError';
  constructor(code, message, retryable = false) {
    super(message);
    Object.assign(this, { code, retryable });
  }
}

/** Where a program called what failed. A trace has the code before the message; who catches the error has each for itself. */
function trace(error, called) {
  const { code, message } = error;
  if (error instanceof ToolError) error.message = `${code}: ${message}`;
  Error.captureStackTrace(error, called);
  Object.assign(error, { stack: error.stack, message });
}

// Not imported: that would open standard output, and leave it non-blocking for the program.
const { chdir, env, exit } = process;
const stream = new Socket({
  fd: 3,
  onread: {
    buffer: Buffer.allocUnsafe(readBytes),
    callback: read,
  },
});
const waiting = new Map();
const outgoing = [];
/** Its `then` is a microtask and no more; queueMicrotask makes a resource for each. */
const soon = Promise.resolve();
const toolId = Symbol('tool id');
const printed = Symbol.for('nodejs.util.inspect.custom');
let calls = 0;
/** What has come of a frame that is not whole, and how many bytes it must come to. */
let part = Buffer.alloc(0);
let filled = 0;
let wanted = 4;

function send(message) {
  const frame = framed(message);
  const length = frame.length - 4;
  if (length > frameBytesMax) {
    throw new ToolError('invalid_input', `more than ${frameBytesMax} bytes in one call`);
  }
  frame.writeUInt32BE(length);
  if (outgoing.push(frame) === 1) soon.then(flush);
}

/** Four bytes for its length and a line of JSON; large texts of an input stand behind that as they are. */
function framed(message) {
  const large = largeTexts(message.input);
  if (large.length === 0) return Buffer.from(`0000${JSON.stringify(message)}`);
  const input = { ...message.input };
  const texts = large.map(([name, text]) => {
    input[name] = '';
    return [['input', name], Buffer.byteLength(text)];
  });
  const line = `0000${JSON.stringify({ ...message, input, texts })}\n`;
  let at = Buffer.byteLength(line);
  const frame = Buffer.allocUnsafe(texts.reduce((sum, [, bytes]) => sum + bytes, at));
  frame.write(line);
  for (const [, text] of large) at += frame.write(text, at);
  return frame;
}

/** Those directly in an input that are UTF-8. */
function largeTexts(input = {}) {
  const found = [];
  for (const name of Object.keys(input)) {
    const text = input[name];
    if (typeof text !== 'string' || text.length < textCharsMin || !text.isWellFormed()) continue;
    if (found.push([name, text]) === textsMax) break;
  }
  return found;
}

/** What is asked for at once leaves at once; past the stream, as long as the other side reads. */
function flush() {
  const bytes = outgoing.length === 1 ? outgoing[0] : Buffer.concat(outgoing);
  outgoing.length = 0;
  const sent = stream.writableLength === 0 ? written(bytes) : 0;
  if (sent < bytes.length) stream.write(bytes.subarray(sent));
}

function written(bytes) {
  try {
    return writeSync(3, bytes);
  } catch (error) {
    if (error.code !== 'EAGAIN') exit(lost);
    return 0;
  }
}

/** The stream keeps the process alive only while an answer is due. */
function ask(message) {
  calls += 1;
  message.id = String(calls);
  send(message);
  if (waiting.size === 0) stream.ref();
  return new Promise((settle) => waiting.set(message.id, settle));
}

/** The messages in what has come. The chunk's memory is used again: of what is not whole a copy is kept. */
function read(count, chunk) {
  if (filled === 0) return keep(chunk.subarray(takeAll(chunk, count), count));
  keep(chunk.subarray(0, count));
  if (filled < wanted) return;
  const at = takeAll(part, filled);
  part.copyWithin(0, at, filled);
  filled -= at;
  if (filled === 0 && part.length > keptBytesMax) part = Buffer.alloc(0);
}

/** Room for all of a frame is made once, and kept for the next. */
function keep(bytes) {
  const size = Math.max(wanted, filled + bytes.length);
  if (part.length < size) part = Buffer.concat([part, Buffer.allocUnsafe(size - part.length)]);
  filled += bytes.copy(part, filled);
}

/** As far as it is whole; the rest must come to `wanted`. */
function takeAll(buffer, length) {
  let at = 0;
  const next = () => at + 4 + (length - at < 4 ? 0 : buffer.readUInt32BE(at));
  for (let end = next(); end <= length; end = next()) {
    take(parse(buffer, at + 4, end));
    at = end;
  }
  wanted = next() - at;
  return at;
}

function take(message) {
  if (message.type === 'cancel') process.emit('SIGTERM', 'SIGTERM');
  const id = message.id ?? message.type;
  const settle = waiting.get(id);
  if (settle === undefined) return;
  waiting.delete(id);
  if (waiting.size === 0) stream.unref();
  settle(message);
}

/** One line of JSON; behind its line break stand the texts that belong into it, if there is room for one. */
function parse(buffer, from, end) {
  if (end - from < textCharsMin) return JSON.parse(buffer.toString('utf8', from, end));
  const body = buffer.subarray(from, end);
  const lineEnd = body.indexOf(10);
  if (lineEnd < 0) return JSON.parse(body.toString());
  const message = JSON.parse(body.toString('utf8', 0, lineEnd));
  let at = lineEnd + 1;
  for (const [place, bytes] of message.texts) {
    const name = place.pop();
    const holder = place.reduce((within, key) => within[key], message);
    holder[name] = body.toString('utf8', at, at + bytes);
    at += bytes;
  }
  return message;
}

function call(tool, input, reason = '') {
  if (typeof input !== 'object' || input === null || Array.isArray(input) || input.toJSON) {
    throw new ToolError('invalid_input', `${tool} takes one object`);
  }
  if (tool === '' || tool.length > toolCharsMax) {
    throw new ToolError('invalid_input', `a tool's id has 1 to ${toolCharsMax} characters`);
  }
  return ask({ type: 'tool_call', tool, input, reason: String(reason).slice(0, 2_000) });
}

function value({ ok, ret = null, error }) {
  if (ok) return ret;
  throw new ToolError(error.code, error.message, error.retryable);
}

/** What goes wrong in it went wrong where the program called it. */
function offered(perform, answer) {
  return async function offer(given) {
    try {
      return answer((await perform(given)).result);
    } catch (error) {
      trace(error, offer);
      throw error;
    }
  };
}

/** `tools.alias.name`: every property is a longer tool id, calling it performs it. */
function toolAt(id) {
  const tool = offered((input = {}) => call(id, input), value);
  // Names of tools, too.
  delete tool.name;
  delete tool.length;
  tool[toolId] = id;
  return Object.setPrototypeOf(tool, longerIds);
}

/** Asked for what a tool does not have yet; the next time it has it. */
const longerIds = new Proxy(Object.create(null), {
  get: (_, name, tool) => {
    // Awaiting or printing a tool must not look like calling one.
    if (name === printed || name === Symbol.toPrimitive) return () => `<tool ${tool[toolId]}>`;
    if (typeof name === 'symbol' || name === 'then' || name === 'toJSON') return undefined;
    const longer = toolAt(tool[toolId] === '' ? name : `${tool[toolId]}.${name}`);
    Object.defineProperty(tool, name, { value: longer });
    return longer;
  },
});

const agentIoTools = {
  tool_call: offered(
    ({ tool_id, fn, params = {}, call_reason }) => {
      const tool = tool_id ?? fn?.[toolId] ?? String(fn);
      const input = typeof params === 'string' ? JSON.parse(params) : params;
      return call(tool, input, call_reason);
    },
    (result) => ({ ret: null, error: null, ...result }),
  ),
};
const ctxTools = {
  fetch_ctx: offered(
    (path) => fetched('fetch_context', path),
    (result) => result,
  ),
  /** Where this file of the conversation can be opened, read-only; `path` may be what a tool returned for it. */
  fetch_file: offered((path) => fetched('fetch_file', path?.path ?? path), value),
};

function fetched(type, path) {
  if (String(path).length > pathCharsMax) {
    throw new ToolError('invalid_input', `a path has at most ${pathCharsMax} characters`);
  }
  return ask({ type, path: String(path) });
}

/** Asked to stop. A program that listens for it cleans up and ends by itself, as long as it has time. */
function endUnlessItDoes() {
  if (process.listenerCount('SIGTERM') === 1) exit(terminated);
}

/** Writing waits until all is taken: of what is left when the program ends, a pipe would have what it had room for. */
function writeWhole(opened, descriptor) {
  opened._handle?.setBlocking?.(true);
  // A kernel may take a part of it even so (gVisor); what is written as a file is written to the end.
  opened._write = (chunk, encoding, done) => {
    let failure = null;
    try {
      writeFileSync(descriptor, chunk, encoding);
    } catch (error) {
      failure = error;
    }
    done(failure);
  };
  opened._writev = null;
  // What is done for the first time takes long: not while a program waits for it.
  opened.write('');
}

Object.assign(globalThis, { tools: toolAt(''), ToolError });
Object.assign(globalThis, { agent_io_tools: agentIoTools, ctx_tools: ctxTools });
process.on('SIGTERM', endUnlessItDoes);
writeWhole(process.stdout, 1);
writeWhole(process.stderr, 2);
for (const end of ['close', 'error']) stream.once(end, () => exit(lost));
const started = new Promise((settle) => waiting.set('start', settle));
send({ type: 'hello', version });
const start = await started;
Object.assign(env, start.env);
const { WORKDIR, OUTPUT_DIR, EXECUTION_ID, AGENT_IO_CONTEXT } = env;
if (start.given !== null) cpSync(start.given, OUTPUT_DIR, { recursive: true });
const program = `${WORKDIR}/program.mjs`;
writeFileSync(program, start.code);
chdir(WORKDIR);
process.argv = [process.argv[0], program];
Object.assign(globalThis, { WORKDIR, OUTPUT_DIR, EXECUTION_ID, AGENT_IO_CONTEXT });
globalThis.require = createRequire(program);
let finished = false;
process.once('beforeExit', () => {
  if (finished) return;
  writeSync(2, 'Error: the program waits for something that never happens\n');
  exit(13);
});
// Not awaited, so that no line of the harness gets into the program's traces.
import(pathToFileURL(program)).then(() => {
  finished = true;
});
