import { once } from 'node:events';
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { reap } from '../../../runtime/adapters/fargate/executions/reap.ts';
import type { ExecutionServices } from '../../../runtime/adapters/fargate/executions/registry.ts';
import {
  heartbeatTtlMs,
  orphanGraceMs,
} from '../../../runtime/adapters/fargate/settings/limits.ts';
import type { FargateSettings } from '../../../runtime/adapters/fargate/settings/settings.ts';
import { isFault } from '../../../runtime/base/fault.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { openFargate } from '../../../runtime/cli/sandbox/open-fargate.ts';
import { type Aws, openAws, placesOf } from '../../tools/aws/place.ts';
import type { RunningTask } from '../../tools/aws/tasks.ts';
import { never, ran, request, sandboxParts } from '../exec/kit.ts';

// proves: exec.fargate-clean

const scope = new Scope();
let aws: Aws;
let places: ExecutionServices;
let settings: FargateSettings;
/** Requests since a run began, of which one is spoilt. */
const seen = { count: 0, spoilt: 0, answer: { status: 0, code: '' } };

beforeAll(async () => {
  aws = await openAws(scope, { start: async () => dying });
  places = placesOf(aws, scope);
  const { aws: services = '', s3 = '' } = aws.settings.endpoints ?? {};
  const endpoints = { aws: await between(services), s3: await between(s3) };
  settings = { ...aws.settings, endpoints };
});
afterAll(() => scope[Symbol.asyncDispose]());

/** A task that never gets so far as to say anything. */
const dying: RunningTask = {
  stop: async () => undefined,
  describe: () => ({
    ...{ lastStatus: 'STOPPED', stoppedReason: 'CannotPullContainerError', containers: [] },
  }),
};

/** Stands before a service, and answers one request in its place. */
async function between(service: string): Promise<string> {
  const { hostname, port } = new URL(service);
  const server = createServer((asked, response) => {
    seen.count += 1;
    if (seen.count === seen.spoilt) refuse(asked, response);
    else {
      const { method, url: path, headers } = asked;
      const sent = forward({ hostname, port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      asked.pipe(sent);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** As each of them says no: in JSON who is asked by a target, in XML the other. */
function refuse(asked: IncomingMessage, response: ServerResponse): void {
  const { status, code } = seen.answer;
  const body = asked.headers['x-amz-target']
    ? JSON.stringify({ __type: code, message: 'spoilt' })
    : `<?xml version="1.0"?><Error><Code>${code}</Code><Message>spoilt</Message></Error>`;
  void buffer(asked).then(() => response.writeHead(status).end(body));
}

/** One program from a sandbox that is then closed: the code of its error, or of the fault that kept the sandbox from opening. */
async function ranOnce(spoilt: number): Promise<string | undefined> {
  Object.assign(seen, { count: 0, spoilt });
  try {
    await using sandbox = await openFargate({ ...sandboxParts(), settings });
    return (await ran(sandbox, request('python', 'print(1)'), { signal: never })).envelope.error
      ?.code;
  } catch (error) {
    // The error of closing names everything that could not be closed.
    const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
    const [first] = errors;
    if (errors.every(isFault) && isFault(first)) return first.code;
    throw error;
  }
}

async function left(): Promise<readonly string[]> {
  return [...aws.tasks.running(), ...aws.secrets.kept.keys(), ...(await aws.objects())];
}

const answers = [
  { status: 400, code: 'ThrottlingException' },
  { status: 500, code: 'InternalError' },
  { status: 403, code: 'AccessDenied' },
] as const;

test.each(answers)(
  'whichever request is answered with $status $code, its error is typed and nothing stays',
  async (answer) => {
    using _random = vi.spyOn(Math, 'random').mockReturnValue(0.01);
    seen.answer = answer;
    await ranOnce(0);
    const requests = seen.count;
    expect(requests).toBeGreaterThan(8);
    expect(await left()).toEqual([]);
    for (let spoilt = 1; spoilt <= requests; spoilt += 1) {
      const code = await ranOnce(spoilt);
      expect(`${spoilt}: ${code}`).toMatch(/: (sandbox_execution_failed|[A-Z]+(_[A-Z]+)+)$/);
      const nowMs = Date.now() + heartbeatTtlMs + orphanGraceMs + 1;
      await reap(places, { nowMs, signal: never });
      expect([spoilt, await left()]).toEqual([spoilt, []]);
    }
  },
);
