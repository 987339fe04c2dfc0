import { connect } from 'timeloom/client';
import type { bundle } from './with-operations.ts';

export async function dueOn(url: string, lent: string): Promise<string> {
  await using client = connect<typeof bundle>({ url });
  const { due } = await client.operation('library', 'due-on', { lent, weeks: 2 });
  return due;
}
