import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Scope } from '../../../runtime/base/scope.ts';
import type { Protocol } from './tab.ts';

const startMsMax = 30_000;

/** The browser of WebKitGTK in a display of its own that is not shown, over WebDriver. */
export async function openWebKit(driver: string): Promise<Protocol> {
  const owned = new Scope();
  const port = 20_000 + (process.pid % 10_000);
  const args = ['-a', '--server-args=-screen 0 1280x1000x24', driver, `--port=${port}`];
  const child = spawn('xvfb-run', args, {
    // Its sandbox needs more than a container has.
    env: { ...process.env, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' },
    stdio: 'ignore',
    detached: true,
  });
  owned.defer(async () => {
    // xvfb-run has started others, which are in its group.
    if (child.pid !== undefined) process.kill(-child.pid);
    await once(child, 'exit');
  });
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await answer.json()) as { value: unknown };
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(value)}`);
    return value;
  };
  await untilReady(() => call('GET', '/status'));
  const { sessionId } = (await call('POST', '/session', { capabilities: {} })) as {
    sessionId: string;
  };
  const session = `/session/${sessionId}`;
  owned.defer(async () => void (await call('DELETE', session)));
  return {
    async navigate(url) {
      await call('POST', `${session}/url`, { url });
    },
    evaluate: (expression) =>
      call('POST', `${session}/execute/sync`, { script: `return ${expression}`, args: [] }),
    async act(actions) {
      await call('POST', `${session}/actions`, { actions });
    },
    picture: async () => String(await call('GET', `${session}/screenshot`)),
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

async function untilReady(ask: () => Promise<unknown>): Promise<void> {
  const until = Date.now() + startMsMax;
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await pause(100);
    }
  }
}
