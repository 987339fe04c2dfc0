import { type IncomingMessage, request } from 'node:http';
import type Docker from 'dockerode';
import { Refusal } from '../../../base/refusal.ts';

/** Connects to the engine at an address as in DOCKER_HOST, or at the default socket. Refusal `docker_missing` if none answers. */
export async function connectDocker(host: string | undefined): Promise<Docker> {
  const options = toOptions(host);
  try {
    await ping(options);
  } catch (cause) {
    const message = `no Docker engine answers at ${host ?? defaultSocket}; install docker.io and start it`;
    throw new Refusal('docker_missing', withCause(message, cause));
  }
  // The client takes 30 MB, and most machines without an engine never need it.
  const { default: Client } = await import('dockerode');
  return new Client(options);
}

async function ping({ protocol: _, ...address }: Docker.DockerOptions): Promise<void> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ ...address, path: '/_ping' }, resolve)
      .on('error', reject)
      .end();
  });
  response.resume();
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
}

const defaultSocket = '/var/run/docker.sock';

function toOptions(host: string | undefined): Docker.DockerOptions {
  if (host === undefined) return { socketPath: defaultSocket };
  const url = URL.parse(host);
  if (url?.protocol === 'unix:') return { socketPath: url.pathname };
  if (url?.protocol === 'tcp:' || url?.protocol === 'http:') {
    return { host: url.hostname, port: Number(url.port || 2375), protocol: 'http' };
  }
  throw new Refusal(
    'docker_missing',
    `${host} is not an address this adapter knows (unix:// or tcp://)`,
  );
}

function withCause(message: string, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return `${message}${code}`;
}

/** The HTTP status of an error from the engine; undefined for any other error. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error && 'statusCode' in error)) return undefined;
  return typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

/** Whether the error comes from the engine or the connection to it, and not from our own code. */
export function isEngineError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return 'statusCode' in error || 'syscall' in error || 'code' in error;
}
