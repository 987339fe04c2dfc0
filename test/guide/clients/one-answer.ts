type Answer = { ok: true; text: string } | { ok: false; error: { message: string } };

/** One request, one answer. `server`: its address with the tenant and the project, such as `http://127.0.0.1:3000/api/chat/dev/dev`. */
export async function askOnce(server: string, text: string): Promise<string> {
  const response = await fetch(`${server}/messages?wait=answer`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' }, // with tokens: Authorization: 'Bearer …'
    body: JSON.stringify({ text, bundle_id: 'desk', agent_id: 'main' }),
  });
  const answer = (await response.json()) as Answer;
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.text;
}
