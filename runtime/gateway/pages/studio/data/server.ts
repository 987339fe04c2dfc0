import { fields } from '../../../../client/story/json-fields.ts';
import { pageFacts } from '../../../../client/widgets/page-facts.ts';
import { signIn } from '../session/sign-in.ts';
import type { CheckResult } from './project-wire.ts';

/** What went wrong, for a person. */
export class RequestFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const { tenant = 'dev', project = 'dev' } = pageFacts();
const place = `${encodeURIComponent(tenant)}/${encodeURIComponent(project)}`;

/** The address of a request about the project, or about one conversation of a user. */
export function inspectUrl(path: string): string {
  return `/inspect/${place}/${path}`;
}

export function logPath(conversation: string, rest: string, user?: string): string {
  const whose =
    user === undefined ? '' : `${rest.includes('?') ? '&' : '?'}user=${encodeURIComponent(user)}`;
  return inspectUrl(`${encodeURIComponent(conversation)}/${rest}${whose}`);
}

/** A request that waits for a sign-in when the session has ended, and is then sent again. */
async function send(url: string, init: RequestInit): Promise<Response> {
  for (let times = 0; ; times += 1) {
    const response = await fetch(url, init);
    if (response.status !== 401) {
      void signIn.confirm();
      return response;
    }
    const { message } = await failureOf(response);
    await signIn.wait(message, { isRefused: times > 0 });
  }
}

export async function getJson<T>(url: string, signal?: AbortSignal): Promise<T> {
  return await readJson<T>(await send(url, { cache: 'no-store', ...(signal && { signal }) }));
}

type Sending = { readonly body: object; readonly user?: string | undefined };

/** With dev authentication the request is made as this user. */
export async function postJson<T>(url: string, { body, user }: Sending): Promise<T> {
  const headers = {
    'content-type': 'application/json',
    ...(user !== undefined && { 'x-timeloom-user': user }),
  };
  return await readJson<T>(
    await send(url, { method: 'POST', headers, body: JSON.stringify(body) }),
  );
}

/** The settings of a bundle that an operator may change. */
export function propsUrl(bundle: string): string {
  return `/api/bundles/${place}/${encodeURIComponent(bundle)}/props`;
}

export async function putJson(url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await readJson(await send(url, { method: 'PUT', headers, body: JSON.stringify(body) }));
}

async function readJson<T>(response: Response): Promise<T> {
  // Rejects if the request was stopped, or the connection was lost, before the whole body was there.
  if (response.ok) return (await response.json()) as T;
  throw await failureOf(response);
}

async function failureOf(response: Response): Promise<RequestFailure> {
  const body: unknown = await response.json().catch(() => ({}));
  const error = fields(fields(body)['error']);
  return new RequestFailure(
    String(error['code'] ?? response.status),
    String(error['message'] ?? response.statusText),
  );
}

/** Forks a conversation at a block. */
export async function fork(conversation: string, at: number, user: string): Promise<string> {
  const url = `/conversations/${place}/${encodeURIComponent(conversation)}/fork`;
  const { conversation_id: id } = await postJson<{ conversation_id: string }>(url, {
    body: { at },
    user,
  });
  return id;
}

/** Ends the open turn of a conversation: a steer without a text is a stop. */
export async function stopTurn(conversation: string, user: string): Promise<void> {
  const message_id = `msg_${crypto.randomUUID()}`;
  const body = { message_id, conversation_id: conversation, kind: 'steer', text: '' };
  await postJson(`/api/chat/${place}/messages`, { body, user });
}

type CheckEvent =
  | { readonly event: 'progress'; readonly done: number; readonly of: number }
  | { readonly event: 'done'; readonly result: CheckResult };

/** The events of a check. Throws `RequestFailure`. */
export async function* runCheck(url: string): AsyncGenerator<CheckEvent> {
  const response = await send(url, { method: 'POST' });
  if (!response.ok || !response.body) await readJson(response);
  let text = '';
  for await (const chunk of streamOf(response)) {
    text += chunk;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const each of events) yield toCheckEvent(each);
  }
}

async function* streamOf({ body }: Response): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done = true, value = '' } = (await reader?.read()) ?? {};
    if (done) return;
    yield value;
  }
}

function toCheckEvent(text: string): CheckEvent {
  const [, name = '', data = '{}'] = /^event: (\w+)\ndata: (.*)$/s.exec(text) ?? [];
  const parsed: unknown = JSON.parse(data);
  const { code, message, done, of } = fields(parsed);
  if (name === 'error') throw new RequestFailure(String(code), String(message));
  // The server of this page writes what the type says.
  if (name === 'done') return { event: 'done', result: parsed as CheckResult };
  return { event: 'progress', done: Number(done), of: Number(of) };
}
