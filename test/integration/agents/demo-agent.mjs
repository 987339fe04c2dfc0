import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream } from '@agentclientprotocol/sdk';

/**
 * An agent program on the official SDK, which does what its prompt says: `write NAME` asks for permission and edits a file,
 * `wait` begins a call and waits, `run COMMAND` runs a command, `model` asks the model, `recall` lists the prompts of its
 * session, `servers` the MCP servers that it was given.
 */
const sessions = `${process.env.HOME}/sessions`;
let cancelled = new AbortController();
let servers = [];

async function load(id) {
  return JSON.parse(await readFile(`${sessions}/${id}.json`, 'utf8'));
}

async function keep(id, prompts) {
  await mkdir(sessions, { recursive: true });
  await writeFile(`${sessions}/${id}.json`, JSON.stringify(prompts));
}

const options = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];

const jobs = {
  async write(name, talk) {
    const toolCallId = `edit_${name}`;
    const call = { toolCallId, title: `Write ${name}`, kind: 'edit', rawInput: { path: name } };
    await talk.update({ ...call, sessionUpdate: 'tool_call', status: 'pending' });
    if ((await talk.ask(call)) !== 'yes') return 'not allowed';
    await writeFile(`/workspace/${name}`, `${name}\n`);
    const diff = { type: 'diff', path: `/workspace/${name}`, oldText: null, newText: `${name}\n` };
    const done = { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' };
    await talk.update({ ...done, content: [diff] });
    return `wrote ${name}`;
  },
  async wait(_, talk) {
    const call = {
      toolCallId: randomUUID(),
      title: 'Wait',
      kind: 'execute',
      rawInput: { command: 'wait' },
    };
    await talk.update({ ...call, sessionUpdate: 'tool_call', status: 'in_progress' });
    if (!cancelled.signal.aborted) await once(cancelled.signal, 'abort');
    return undefined;
  },
  async run(command, talk) {
    const toolCallId = randomUUID();
    const call = { toolCallId, title: command, kind: 'execute', rawInput: { command } };
    await talk.update({ ...call, sessionUpdate: 'tool_call', status: 'in_progress' });
    const next = { sessionUpdate: 'tool_call_update', toolCallId };
    const child = spawn(command, { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const chunk of child.stdout) {
      const terminal_output = { terminal_id: toolCallId, data: String(chunk) };
      await talk.update({ ...next, _meta: { terminal_output } });
    }
    const exit_code = child.exitCode ?? (await once(child, 'close'))[0];
    const terminal_exit = { terminal_id: toolCallId, exit_code, signal: null };
    await talk.update({ ...next, status: 'completed', _meta: { terminal_exit } });
    return `ran ${command}`;
  },
  async model() {
    const url = `${process.env.ANTHROPIC_BASE_URL}/v1/messages`;
    const answer = await fetch(url, {
      method: 'POST',
      body: '{}',
      headers: { 'x-api-key': process.env.ANTHROPIC_API_KEY },
    });
    return answer.text();
  },
  async servers() {
    return JSON.stringify(servers);
  },
  async recall(_, talk) {
    return (await load(talk.session)).join(' | ');
  },
};

agent({ name: 'demo' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: true, mcpCapabilities: { http: true } },
    agentInfo: { name: 'demo', version: '1.0' },
  }))
  .onRequest(methods.agent.session.new, async ({ params }) => {
    servers = params.mcpServers;
    const sessionId = randomUUID();
    await keep(sessionId, []);
    return { sessionId };
  })
  .onRequest(methods.agent.session.load, async ({ params: { sessionId, mcpServers } }) => {
    servers = mcpServers;
    await load(sessionId);
    return {};
  })
  .onNotification(methods.agent.session.cancel, () => cancelled.abort())
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    cancelled = new AbortController();
    const [{ text }] = prompt;
    await keep(sessionId, [...(await load(sessionId)), text]);
    const talk = {
      session: sessionId,
      update: (update) => client.notify(methods.client.session.update, { sessionId, update }),
      ask: async (toolCall) => {
        const request = { sessionId, toolCall, options };
        const { outcome } = await client.request(methods.client.session.requestPermission, request);
        return outcome.optionId;
      },
    };
    const [, name, rest] =
      /(?:^|\n)(write|wait|run|model|recall|servers) ?(\S*)$/.exec(text.trim()) ?? [];
    const said = name ? await jobs[name](rest, talk) : `read: ${text}`;
    if (said === undefined) return { stopReason: 'cancelled' };
    const content = { type: 'text', text: said };
    await talk.update({ sessionUpdate: 'agent_message_chunk', content });
    return { stopReason: 'end_turn' };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
