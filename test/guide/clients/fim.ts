import { watch } from './watch.ts';

/** What a page of FIM One shows of a turn. `address`: of the stream of a conversation. */
export async function followSteps(address: string, show: (line: string) => void) {
  for await (const { event, data } of watch(address, 'fim')) {
    const { type, status, tool_name: tool, observation, content } = data;
    if (event === 'step' && type === 'iteration') show(`${tool} ${status} ${observation ?? ''}`);
    if (event === 'answer' && status === 'delta') show(String(content));
    if (event === 'done') return data;
  }
  return undefined;
}
