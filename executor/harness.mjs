// Runs one JavaScript program: receives it on fd 3, provides its tools, and ends with it.

import { cpSync, writeFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { frameBytesMax, hear, send, stream } from './frames.mjs';

const [toolCharsMax, pathCharsMax] = [256, 2_000];
const version = 5;
const terminated = 143;

/** A tool refused or failed. */
class ToolError extends Error {
  name = 'ToolError';
  constructor(code, message, retryable = false) {
    super(message);
    Object.assign(this, { code, retryable });
  }
}

/** Starts the trace at the failed call in the program. The trace has code and message; the error keeps them apart. */
function trace(error, called) {
  const { code, message } = error;
  if (error instanceof ToolError) error.message = `${code}: ${message}`;
  Error.captureStackTrace(error, called);
  Object.assign(error, { stack: error.stack, message });
}

// Not imported: an import would open standard output and leave it non-blocking for the program.
const { chdir, env, exit } = process;
const waiting = new Map();
const toolId = Symbol('tool id');
const printed = Symbol.for('nodejs.util.inspect.custom');
let calls = 0;

/** The stream keeps the process alive only while an answer is pending. */
function ask(message) {
  calls += 1;
  message.id = String(calls);
  if (!send(message)) {
    throw new ToolError('invalid_input', `more than ${frameBytesMax} bytes in one call`);
  }
  if (waiting.size === 0) stream.ref();
  return new Promise((settle) => waiting.set(message.id, settle));
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

/** Reports errors at the place where the program made the call. */
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

/** `tools.alias.name`: every property extends the tool id; calling it calls the tool. */
function toolAt(id) {
  const tool = offered((input = {}) => call(id, input), value);
  // These can also be names of tools.
  delete tool.name;
  delete tool.length;
  tool[toolId] = id;
  return Object.setPrototypeOf(tool, longerIds);
}

/** Creates a missing property of a tool and stores it for the next time. */
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
  /** Returns where to open a file of the conversation, read-only; `path` can be the object that a tool returned. */
  fetch_file: offered((path) => fetched('fetch_file', path?.path ?? path), value),
};

function fetched(type, path) {
  if (String(path).length > pathCharsMax) {
    throw new ToolError('invalid_input', `a path has at most ${pathCharsMax} characters`);
  }
  return ask({ type, path: String(path) });
}

/** Handles a stop request. A program that listens for SIGTERM cleans up and ends on its own, within the grace period. */
function endUnlessItDoes() {
  if (process.listenerCount('SIGTERM') === 1) exit(terminated);
}

/** Makes writing block until everything is written: at exit, output that does not fit into the pipe would be lost. */
function writeWhole(opened, descriptor) {
  opened._handle?.setBlocking?.(true);
  // A kernel may still write only a part (gVisor); writing as a file continues to the end.
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
  // The first write is slow, so do it before a program waits for it.
  opened.write('');
}

Object.assign(globalThis, { tools: toolAt(''), ToolError });
Object.assign(globalThis, { agent_io_tools: agentIoTools, ctx_tools: ctxTools });
process.on('SIGTERM', endUnlessItDoes);
writeWhole(process.stdout, 1);
writeWhole(process.stderr, 2);
hear(take);
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
// Not awaited, so that the program's traces contain no line of the harness.
import(pathToFileURL(program)).then(() => {
  finished = true;
});
