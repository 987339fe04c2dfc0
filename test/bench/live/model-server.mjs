import { createServer } from 'node:http';

/**
 * A model that speaks Chat Completions, in a process of its own, so that its work is counted for nobody. It begins each
 * reply at once and continues all of them together on command, 30 deltas a second each. A delta is the time it was
 * written, in base 36. The first segment of the path says whether the reply is a decision in its channel.
 */
const heads = {
  channels: '<channel:ReactDecisionOutV2>{"action":"complete","final_answer":"Begun. ',
  text: 'Begun. ',
};
const tails = { channels: '"}</channel:ReactDecisionOutV2>', text: '' };
const buckets = 11;
const bucketMs = 3;
/** Streams of one bucket write at the same time. */
const streams = Array.from({ length: buckets }, () => new Set());
let opened = 0;
let sent = 0;
let isInstant = false;
let isRunning = false;
let lastTick = 0;

const server = createServer((request, response) => {
  const form = request.url.split('/')[1];
  request.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  write(response, heads[form]);
  const stream = { response, form };
  if (isInstant) {
    end(stream);
    return;
  }
  const bucket = streams[opened % buckets];
  opened += 1;
  bucket.add(stream);
  response.on('close', () => {
    if (bucket.delete(stream) && isRunning) process.send({ kind: 'closed', atMs: nowMs() });
  });
});

function write(response, content) {
  response.write(chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }));
}

function end({ response, form }) {
  if (tails[form] !== '') write(response, tails[form]);
  response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  response.end(`${chunk({ choices: [], usage })}data: [DONE]\n\n`);
}

function chunk(part) {
  const base = { id: 'reply', object: 'chat.completion.chunk', created: 1, model: 'instant' };
  return `data: ${JSON.stringify({ ...base, ...part })}\n\n`;
}

function tick() {
  const now = Math.floor(performance.now() / bucketMs);
  // Buckets that a busy machine skipped are made up for, so that the rate is kept.
  for (let at = Math.max(lastTick + 1, now - buckets); at <= now && isRunning; at += 1) {
    const content = `${Date.now().toString(36)} `;
    for (const { response } of streams[at % buckets]) write(response, content);
    sent += streams[at % buckets].size;
  }
  lastTick = now;
}

const commands = {
  instant: () => {
    isInstant = true;
  },
  hold: () => {
    isInstant = false;
    isRunning = false;
  },
  run: () => {
    lastTick = Math.floor(performance.now() / bucketMs);
    isRunning = true;
  },
  finish: () => {
    isRunning = false;
    for (const bucket of streams) {
      for (const stream of bucket) end(stream);
      bucket.clear();
    }
  },
  state: () => undefined,
};

function nowMs() {
  return performance.timeOrigin + performance.now();
}

process.on('message', (command) => {
  commands[command]();
  const open = streams.reduce((sum, { size }) => sum + size, 0);
  process.send({ kind: 'state', open, sent });
});
setInterval(tick, bucketMs);
server.listen(0, '127.0.0.1', () => process.send({ kind: 'ready', port: server.address().port }));
