import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { connect } from '../../../runtime/client/connect.ts';

export type Installation = {
  readonly command: readonly string[];
  readonly folders: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly api?: 'anthropic' | 'openai' | 'gemini';
  /** Plays the model. */
  readonly model: RequestListener;
  /** Files of the workspace. */
  readonly files?: Readonly<Record<string, string>>;
  /** Address of a Docker engine, whose containers the programs run in. */
  readonly dockerHost?: string;
};

const skill = '---\nname: tidy-up\ndescription: How to tidy the garden shed.\n---\n\nSweep.\n';

/** A bundle whose agent is a program, the settings of an installation that has it, and a server that plays the model. */
export async function openAgentPlace(install: (folder: string) => Promise<Installation>) {
  const folder = await mkdtemp(join(tmpdir(), 'timeloom-run-agent-'));
  // The users of the sandboxes must reach what is below it.
  await chmod(folder, 0o711);
  const {
    command,
    folders,
    env = {},
    api = 'anthropic',
    model,
    files = {},
    dockerHost,
  } = await install(folder);
  const server = createServer(model);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const bundle = join(folder, 'bundle');
  for (const [path, text] of Object.entries({ ...files, 'README.md': '# Project\n' })) {
    const file = join(bundle, 'workspace', path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, text);
  }
  await mkdir(join(bundle, 'skills/tidy-up'), { recursive: true });
  await writeFile(join(bundle, 'skills/tidy-up/SKILL.md'), skill);
  await writeFile(
    join(bundle, 'bundle.ts'),
    `import { defineAgent, defineBundle } from 'timeloom/sdk';
     const external = { program: 'demo', workspace: './workspace' };
     const coder = defineAgent({ id: 'coder', runtime: 'external', external, instruction: 'Be brief.' });
     export const bundle = defineBundle({ id: 'code', version: '1.0.0', agents: [coder], skills: './skills' });`,
  );
  const url = `http://127.0.0.1:${port}`;
  const demo = { command, folders, env, model: { api, url, key: 'MODEL_KEY' } };
  const mode = dockerHost === undefined ? 'process' : 'docker';
  const agents = { workspaces: join(folder, 'workspaces'), mode, programs: { demo } };
  await writeFile(join(folder, 'assembly.yaml'), JSON.stringify({ agents }));
  return {
    env: {
      TIMELOOM_CONFIG_DIR: folder,
      TIMELOOM_DATA_DIR: join(folder, 'data'),
      TIMELOOM_BUNDLES: bundle,
      TIMELOOM_WORKERS: '0',
      TIMELOOM_EXEC_MODE: 'off',
      MODEL_KEY: 'of-the-installation',
      ...(dockerHost === undefined ? {} : { DOCKER_HOST: dockerHost }),
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type Conversation = ReturnType<ReturnType<typeof connect>['conversation']>;

/** Allows everything that is asked, until the client is closed. Returns what was asked. */
export function allowAll(conversation: Conversation): string[] {
  const titles: string[] = [];
  const decide = async () => {
    for await (const event of conversation.events()) {
      if (event.type !== 'chat.approval') continue;
      titles.push(event.data.title);
      await conversation.decide(event.data.request, { allow: true });
    }
  };
  decide().catch(() => undefined);
  return titles;
}

/** Resolves when the program has begun a call. */
export async function firstCall(turn: Awaited<ReturnType<Conversation['send']>>): Promise<void> {
  for await (const event of turn.events()) if (event.type === 'chat.tool') return;
}
