// Runs one JavaScript program: takes it from fd 3, gives it its tools, ends with it.

import { cpSync, writeFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { pathToFileURL } from 'node:url';

const frameBytesMax = 8 * 1024 * 1024;
const version = 3;
const terminated = 143;
const lost = 70;

/** A tool said no, or failed. */
class ToolError extends Error {
  name = 'ToolError';
  constructor(code, message, retryable = false) {
    super(`${code}: ${message}`);
    Object.assign(this, { code, retryable });
  }
}

// Not imported: that would open standard output, and leave it non-blocking for the program.
const { chdir, env, exit } = process;
const stream = new Socket({ fd: 3 });
const waiting = new Map();
const toolId = Symbol('tool id');
let calls = 0;
let chunks = [];
let missing = 4;

function send(message) {
  const text = JSON.stringify(message);
  const length = Buffer.byteLength(text);
  if (length > frameBytesMax) {
    throw new ToolError('invalid_input', `more than ${frameBytesMax} bytes in one call`);
  }
  const frame = Buffer.allocUnsafe(4 + length);
  frame.writeUInt32BE(length);
  frame.write(text, 4);
  // What is asked for at once leaves at once.
  if (stream.writableCorked === 0) {
    stream.cork();
    queueMicrotask(() => stream.uncork());
  }
  stream.write(frame);
}

/** The stream keeps the process alive only while an answer is due. */
async function ask(message) {
  stream.ref();
  calls += 1;
  const id = String(calls);
  const answer = new Promise((settle) => waiting.set(id, { settle, parts: [] }));
  try {
    send({ ...message, id });
    return JSON.parse(await answer);
  } finally {
    waiting.delete(id);
    if (waiting.size === 0) stream.unref();
  }
}

/** The messages in what has come; a chunk is copied once, when its frame is whole. */
function messagesIn(chunk) {
  const messages = [];
  chunks.push(chunk);
  missing -= chunk.length;
  if (missing > 0) return messages;
  let buffer = chunks.length === 1 ? chunk : Buffer.concat(chunks);
  while (buffer.length >= 4 && buffer.length >= 4 + buffer.readUInt32BE()) {
    const end = 4 + buffer.readUInt32BE();
    messages.push(messageIn(buffer.subarray(4, end)));
    buffer = buffer.subarray(end);
  }
  chunks = [buffer];
  missing = (buffer.length >= 4 ? 4 + buffer.readUInt32BE() : 4) - buffer.length;
  return messages;
}

/** One line of JSON; what follows its line break is its payload. */
function messageIn(frame) {
  const end = frame.indexOf(10);
  if (end < 0) return JSON.parse(frame.toString());
  return { ...JSON.parse(frame.toString('utf8', 0, end)), payload: frame.subarray(end + 1) };
}

function take(message) {
  if (message.type === 'cancel') exit(terminated);
  if (message.type === 'start') waiting.get('start')?.settle(message);
  const entry = message.type === 'result' ? waiting.get(message.id) : undefined;
  entry?.parts.push(message.payload);
  if (entry && !message.more) entry.settle(Buffer.concat(entry.parts).toString());
}

async function call(tool, input, reason = '') {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new ToolError('invalid_input', `${tool} takes one object`);
  }
  const message = { type: 'tool_call', tool, input, reason: String(reason).slice(0, 2_000) };
  return { ret: null, error: null, ...(await ask(message)) };
}

/** `tools.alias.name`: every property is a longer tool id, calling it performs it. */
function toolAt(path) {
  const perform = async (input = {}) => {
    const { ok, ret, error } = await call(path.join('.'), input);
    if (ok) return ret;
    throw new ToolError(error.code, error.message, error.retryable);
  };
  return new Proxy(perform, {
    get: (_, name) => {
      if (name === toolId) return path.join('.');
      // Awaiting or printing a tool must not look like calling one.
      return typeof name === 'symbol' || name === 'then' ? undefined : toolAt([...path, name]);
    },
  });
}

const agentIoTools = {
  tool_call: ({ tool_id, fn, params = {}, call_reason }) =>
    call(
      tool_id ?? fn?.[toolId] ?? String(fn),
      typeof params === 'string' ? JSON.parse(params) : params,
      call_reason,
    ),
};
const ctxTools = { fetch_ctx: (path) => ask({ type: 'fetch_context', path: String(path) }) };

stream.on('data', (chunk) => messagesIn(chunk).forEach(take));
for (const end of ['close', 'error']) stream.once(end, () => exit(lost));
const started = new Promise((settle) => waiting.set('start', { settle }));
send({ type: 'hello', version });
const start = await started;
Object.assign(env, start.env);
const { WORKDIR, OUTPUT_DIR, EXECUTION_ID, AGENT_IO_CONTEXT } = env;
if (start.given !== null) cpSync(start.given, OUTPUT_DIR, { recursive: true });
const program = `${WORKDIR}/program.mjs`;
writeFileSync(program, start.code);
chdir(WORKDIR);
process.argv = [process.argv[0], program];
process.once('SIGTERM', () => exit(terminated));
Object.assign(globalThis, { WORKDIR, OUTPUT_DIR, EXECUTION_ID, AGENT_IO_CONTEXT });
Object.assign(globalThis, { tools: toolAt([]), ToolError });
Object.assign(globalThis, { agent_io_tools: agentIoTools, ctx_tools: ctxTools });
globalThis.require = createRequire(program);
waiting.delete('start');
stream.unref();
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
