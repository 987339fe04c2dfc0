/**
 * The code of the worker thread that runs PGlite, as CommonJS text: Node starts it the same way from source and from
 * a build, and a thread cannot load TypeScript. It accepts `{id, method, sql, params, untilMs}` with
 * method `query`, `script` or `close`, and sends `{id, rows}` or `{id, error: {message, code}}`. `{id: 0}` means that it
 * is open; rows `expired` means that the request was not started because its turn came after `untilMs`.
 *
 * PGlite's file layer has no fsync; `durable` starts Postgres without `-F` and gives the layer one.
 */
export const pgliteWorker = `
'use strict';
const { fdatasyncSync, openAsBlob } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { parentPort, workerData } = require('node:worker_threads');

// The second compilation of V8 takes as much processor time as the rest of a start. It begins after this many units of
// work in a function instead of 13 million, so functions of a query that runs once are not compiled again.
setFlagsFromString('--wasm-tiering-budget=100000000');

// V8 compiles a function twice: quickly at its first call, and again with optimizations once it is used often. For the
// SQL parser, one function of 105 KB, the second compilation takes 600 MB of memory for a second. V8 decides at the
// first call whether a function may be compiled again: during that call, we allow it for no function (by an index that
// does not exist). The call itself fails at once, because there is no memory context yet, and changes nothing.
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (source, imports) => {
  const made = await instantiate(source, imports);
  const { raw_parser, emscripten_stack_get_current, _emscripten_stack_restore } =
    (made.instance ?? made).exports;
  if (!raw_parser || !emscripten_stack_get_current || !_emscripten_stack_restore) return made;
  const stack = emscripten_stack_get_current();
  setFlagsFromString('--wasm-tier-up-filter=2147483647');
  try {
    raw_parser(0, 0);
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
  } finally {
    setFlagsFromString('--wasm-tier-up-filter=-1');
    _emscripten_stack_restore(stack);
  }
  return made;
};

const { PGlite, protocol: { serialize }, types: { parseType } } = require(workerData.pglite);
const { pg_trgm } = require(workerData.trigrams);
// An optional package: without it, vectors are compared with the portable search.
const vectors = workerData.vectors && { vector: require(workerData.vectors).vector };

// One connection needs few buffers: the default of 128 MB is memory that a laptop does not get back.
const params = [...PGlite.defaultStartParams, '-c', 'shared_buffers=8MB'];
const durableParams = [
  ...params.filter((param) => param !== '-F'),
  '-c', 'fsync=on', '-c', 'wal_sync_method=fsync',
];

async function open() {
  const { dir, durable, image } = workerData;
  const from = dir ? { dataDir: dir } : image ? { loadDataDir: await openAsBlob(image) } : {};
  const db = await PGlite.create({
    ...from,
    extensions: { pg_trgm, ...vectors },
    startParams: durable ? durableParams : params,
  });
  if (durable) {
    db.Module.FS.filesystems.NODEFS.stream_ops.fsync = (stream) => (fdatasyncSync(stream.nfd), 0);
  }
  return db;
}

// Statements that are parsed and planned once. PGlite's own query parses a statement each time, and goes through Postgres
// four times for it.
const prepared = new Map(workerData.prepared.map((sql, index) => [sql, { name: 's' + index }]));

async function prepare(db, sql, statement) {
  const { name } = statement;
  const { messages } = await db.execProtocol(Buffer.concat([
    serialize.parse({ name, text: sql }), serialize.describe({ type: 'S', name }), serialize.sync(),
  ]));
  const row = messages.find((message) => message.name === 'rowDescription');
  statement.fields = row ? row.fields : [];
}

const element = (text) => (text === null ? 'NULL' : '"' + text.replace(/[\\\\"]/g, '\\\\$&') + '"');
const toText = (value) => {
  if (value === null) return null;
  return Array.isArray(value) ? '{' + value.map(element).join(',') + '}' : String(value);
};

async function queryPrepared(db, statement, { sql, params }) {
  if (!statement.fields) await prepare(db, sql, statement);
  const { name, fields } = statement;
  const { messages } = await db.execProtocol(Buffer.concat([
    serialize.bind({ statement: name, values: params.map(toText) }), serialize.execute({}), serialize.sync(),
  ]));
  const rows = messages.filter((message) => message.name === 'dataRow');
  return rows.map(({ fields: values }) => Object.fromEntries(
    fields.map(({ name, dataTypeID }, at) => [name, parseType(values[at], dataTypeID, db.parsers)]),
  ));
}

// A migration has changed the columns of a result. Nothing has run.
const isOutdated = (error) => error && error.code === '0A000';

async function query(db, request) {
  const { sql, params } = request;
  const statement = prepared.get(sql);
  try {
    if (statement) return await queryPrepared(db, statement, request);
  } catch (error) {
    if (!isOutdated(error)) throw error;
    prepared.delete(sql);
  }
  return (await db.query(sql, params)).rows;
}

const perform = {
  query,
  script: async (db, { sql }) => { await db.exec(sql); return []; },
  close: async (db) => { await db.close(); return []; },
};

// Between two statements the process may have been paused, and another one may have taken over the directory.
const isExpired = ({ untilMs }) =>
  untilMs !== undefined && Number(process.hrtime.bigint() / 1000000n) >= untilMs;

const plain = (error) => ({ message: String(error && error.message), code: String((error && error.code) || '') });

async function answer(db, request) {
  try {
    const open = await db;
    const rows = isExpired(request) ? 'expired' : await perform[request.method](open, request);
    parentPort.postMessage({ id: request.id, rows });
  } catch (error) {
    parentPort.postMessage({ id: request.id, error: plain(error) });
  }
}

const db = open();
db.then(
  () => parentPort.postMessage({ id: 0, rows: [] }),
  (error) => parentPort.postMessage({ id: 0, error: plain(error) }),
);
// One after the other, as PGlite runs them, so that each is checked when it starts.
let last = Promise.resolve();
parentPort.on('message', (request) => {
  last = last.then(() => answer(db, request));
});
`;
