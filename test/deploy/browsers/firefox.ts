import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Scope } from '../../../runtime/base/scope.ts';
import type { Protocol } from './tab.ts';

type Answer = { readonly id?: number; readonly result?: unknown; readonly message?: string };

/** Firefox without a window, over WebDriver BiDi. */
export async function openFirefox(program: string): Promise<Protocol> {
  const owned = new Scope();
  const profile = mkdtempSync(join(tmpdir(), 'timeloom-firefox-'));
  owned.defer(async () => rmSync(profile, { recursive: true, force: true }));
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  owned.defer(async () => {
    child.kill();
    await once(child, 'exit');
  });
  const address = await addressOf(createInterface({ input: child.stderr }));
  const socket = new WebSocket(`${address}/session`);
  owned.defer(async () => socket.close());
  await once(socket, 'open');
  const call = caller(socket);
  await call('session.new', { capabilities: {} });
  const tree = (await call('browsingContext.getTree', {})) as { contexts: { context: string }[] };
  const context = tree.contexts[0]?.context;
  return {
    async navigate(url) {
      await call('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    async evaluate(expression) {
      const options = { target: { context }, awaitPromise: true };
      const { result } = (await call('script.evaluate', { expression, ...options })) as {
        result?: { value?: unknown };
      };
      return result?.value;
    },
    async act(actions) {
      await call('input.performActions', { context, actions });
    },
    async picture() {
      const { data } = (await call('browsingContext.captureScreenshot', { context })) as {
        data: string;
      };
      return data;
    },
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

async function addressOf(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('Firefox ended before it could be driven');
}

function caller(socket: WebSocket) {
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    waiting.get(answer.id ?? -1)?.(answer);
  });
  let last = 0;
  return async (method: string, params: object): Promise<unknown> => {
    last += 1;
    const id = last;
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { result, message } = await answered;
    if (message !== undefined) throw new Error(`${method}: ${message}`);
    return result;
  };
}
