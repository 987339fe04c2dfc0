import { createServer } from 'node:http';
import OpenAI from 'openai';
import pg from 'pg';
import { Server } from 'socket.io';

/**
 * The least that does the same for a client: Socket.IO, one inserted row per message, and a loop that forwards what the
 * provider's library reads. Nothing is kept of a reply, and who reconnects gets nothing again.
 */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
await pool.query('create table message (id text primary key, user_name text, text text)');
const openai = new OpenAI({ apiKey: 'none', baseURL: process.env.OPENAI_BASE_URL });
const http = createServer();
const io = new Server(http, { serveClient: false });

io.on('connection', (socket) => {
  let stop = new AbortController();
  socket.on('chat_message', async ({ message_id, text, kind }, acknowledge) => {
    const { user } = socket.handshake.auth;
    const row = [message_id, user, text];
    await pool.query('insert into message (id, user_name, text) values ($1, $2, $3)', row);
    acknowledge({ ok: true });
    if (kind === 'steer') stop.abort();
    else {
      stop = new AbortController();
      await forward(socket, text, stop.signal);
    }
  });
});

async function forward(socket, text, signal) {
  try {
    const messages = [{ role: 'user', content: text }];
    const options = { model: 'instant', messages, stream: true };
    for await (const chunk of await openai.chat.completions.create(options, { signal })) {
      const content = chunk.choices[0]?.delta.content;
      if (content) socket.emit('chat_delta', { delta: { text: content } });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  socket.emit('chat_complete', {});
}

http.listen(0, '127.0.0.1', () => {
  process.stdout.write(
    `${JSON.stringify({ ready: true, url: `http://127.0.0.1:${http.address().port}` })}\n`,
  );
});
