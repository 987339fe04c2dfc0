import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { Fault } from '../../base/fault.ts';
import { isJsonObject, parseJson } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import type {
  ConversationRow,
  ForkResult,
  ListedConversation,
  ProjectScope,
  TimelineStore,
} from '../../timeline/ports/store.ts';
import { JobReport } from './job-report.ts';
import { socketAnswerMsMax } from './limits.ts';

/** The methods of the store that the timeline commands use. */
export type CommandStore = Pick<TimelineStore, 'find' | 'list' | 'read' | 'fork'>;

/** What a server answers to the commands of its user. */
export type RemoteStore = CommandStore & {
  jobs(
    place: ProjectScope,
    options: { readonly signal: AbortSignal },
  ): Promise<readonly JobReport[]>;
};

export function storeSocketPath(dataDir: string): string {
  return join(dataDir, 'cli', 'socket');
}

// Replies come from this program, over a socket that only its user can reach.
const Row = z.custom<ConversationRow>(isJsonObject);
const ListedRow = z.custom<ListedConversation>(isJsonObject);
const Found = z.strictObject({ value: Row.optional() });
const Listed = z.strictObject({ value: z.array(ListedRow) });
const Read = z.strictObject({ value: z.array(z.custom<Block>(isJsonObject)) });
const Jobs = z.strictObject({ value: z.array(JobReport) });
const WasForked = z.strictObject({ value: z.custom<ForkResult>(isJsonObject) });

/** The store of the server that holds this data directory; undefined: no server answers. */
export async function connectRemoteStore(dataDir: string): Promise<RemoteStore | undefined> {
  const path = storeSocketPath(dataDir);
  if (!(await isOpen(path))) return undefined;
  return {
    find: async ({ tenant, project, user }, conversation, { signal }) => {
      const scope = { tenant, project, ...(user !== undefined && { user }) };
      return Found.parse(await sendRequest(path, { method: 'find', scope, conversation }, signal))
        .value;
    },
    list: async ({ tenant, project, user }, { limit, signal }) => {
      const sender = { tenant, project, user };
      return Listed.parse(await sendRequest(path, { method: 'list', sender, limit }, signal)).value;
    },
    read: async (key, { after, limit, signal }) =>
      Read.parse(await sendRequest(path, { method: 'read', key, after, limit }, signal)).value,
    fork: async ({ tenant, project, user }, request, { signal }) => {
      const sender = { tenant, project, user };
      return WasForked.parse(await sendRequest(path, { method: 'fork', sender, request }, signal))
        .value;
    },
    jobs: async ({ tenant, project }, { signal }) => {
      const place = { tenant, project };
      return Jobs.parse(await sendRequest(path, { method: 'jobs', place }, signal)).value;
    },
  };
}

async function isOpen(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Throws Fault `STORE_UNAVAILABLE` if the server has ended or does not answer. */
async function sendRequest(path: string, body: object, signal: AbortSignal): Promise<unknown> {
  const json = JSON.stringify(body);
  const headers = { 'content-length': Buffer.byteLength(json) };
  const options = { socketPath: path, method: 'POST', headers, signal, timeout: socketAnswerMsMax };
  try {
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(options, resolve).on('error', reject);
      sent.on('timeout', () => sent.destroy(new Error('no answer'))).end(json);
    });
    const reply = await text(message);
    if (message.statusCode === 200) return parseJson(reply);
    throw new Error(`status ${message.statusCode}: ${reply.slice(0, 500)}`);
  } catch (cause) {
    signal.throwIfAborted();
    const because = `request to the server that holds the data directory failed: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new Fault('STORE_UNAVAILABLE', { because }, { cause });
  }
}
