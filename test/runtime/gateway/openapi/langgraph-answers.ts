type Ask = (method: string, path: string, more?: { readonly json?: object }) => Promise<Response>;

/** Asks for everything of the LangGraph API that needs no worker. */
export async function askLangGraph(ask: Ask, prefix: string): Promise<void> {
  const thread = `thread${prefix.length}`;
  await ask('POST', `${prefix}/assistants/search`);
  await ask('GET', `${prefix}/assistants/desk%2Fmain`);
  await ask('POST', `${prefix}/threads`, { json: { thread_id: thread } });
  await ask('POST', `${prefix}/threads/search`, { json: {} });
  const input = { messages: [{ type: 'human', content: 'Hi', id: `m${thread}` }] };
  const run = { assistant_id: 'desk/main', input };
  await ask('POST', `${prefix}/runs`, { json: { ...run, input: 'Hi' } });
  const begun = await ask('POST', `${prefix}/threads/${thread}/runs`, { json: run });
  const path = begun.headers.get('content-location') ?? '';
  for (const each of ['', '/state', '/runs'])
    await ask('GET', `${prefix}/threads/${thread}${each}`);
  await ask('POST', `${prefix}/threads/${thread}/history`, { json: {} });
  await ask('GET', `${prefix}${path}`);
  await ask('POST', `${prefix}${path}/cancel`);
  await ask('DELETE', `${prefix}/threads/${thread}`);
}

/** Operations that wait for a worker. */
export const langGraphWaits: readonly string[] = ['', 'OfProject'].flatMap((suffix) =>
  ['waitForStatelessRun', 'waitForRun', 'joinRun'].map((id) => `${id}${suffix}`),
);
