import { expect } from 'vitest';
import { z } from 'zod';

type Ask = (
  method: string,
  path: string,
  more?: {
    readonly json?: object;
    readonly body?: FormData;
    readonly headers?: Record<string, string>;
  },
) => Promise<Response>;

const Named = z.looseObject({ id: z.string() });

/** Asks for everything of the OpenAI API that is not streamed. */
export async function askOpenAi(ask: Ask, prefix: string): Promise<void> {
  for (const path of ['models', 'models/desk%2Fmain', 'files']) {
    await ask('GET', `${prefix}/${path}`);
  }
  const body = new FormData();
  body.append('file', new File(['a,b\n1,2\n'], 'a.csv', { type: 'text/csv' }));
  body.append('purpose', 'user_data');
  const posted = await ask('POST', `${prefix}/files`, { body });
  const { id } = Named.parse(await posted.json());
  await ask('GET', `${prefix}/files/${id}`);
  await askDownload(ask, `${prefix}/files/${id}/content`);
  await ask('DELETE', `${prefix}/files/${id}`);
  expect((await ask('GET', `${prefix}/files/${id}`)).status).toBe(404);
  await ask('POST', `${prefix}/conversations`);
  expect((await ask('GET', `${prefix}/responses/resp_none`)).status).toBe(404);
  expect((await ask('POST', `${prefix}/responses/resp_none/cancel`)).status).toBe(404);
  const json = { model: 'none', messages: [{ role: 'user', content: 'Hi' }] };
  expect((await ask('POST', `${prefix}/chat/completions`, { json })).status).toBe(404);
}

/** A download: whole, a range, a range that the file does not have, and one that the client has already. */
export async function askDownload(ask: Ask, path: string): Promise<void> {
  const etag = (await ask('GET', path)).headers.get('etag') ?? '';
  for (const headers of [{ range: 'bytes=2-3' }, { range: 'bytes=8-' }, { 'if-none-match': etag }])
    await ask('GET', path, { headers });
}
