import { expect, test } from 'vitest';
import type { Bus } from '../../runtime/engine/ports/bus.ts';

const signal = new AbortController().signal;

/** What a bus promises about changes of lists, between two of its ends. */
export function listChangesContract(bus: () => { readonly near: Bus; readonly far: Bus }): void {
  // proves: page.list-live
  test('a change of a list reaches those who follow that user, in every process, and no others', async () => {
    const { near, far } = bus();
    const ann = { tenant: 'acme', project: 'ops', user: 'ann' };
    const heard: string[] = [];
    const followed = [ann, { ...ann, user: 'ben' }, { ...ann, project: 'dev' }].flatMap((owner) =>
      [near, far].map((end) =>
        end.onTouch(owner, () => heard.push(`${owner.project}/${owner.user}`)),
      ),
    );
    await Promise.all([near.flush({ signal }), far.flush({ signal })]);
    near.touch(ann);
    await expect.poll(() => heard).toEqual(['ops/ann', 'ops/ann']);
    for (const each of followed) each[Symbol.dispose]();
    near.touch(ann);
    await near.flush({ signal });
    expect(heard).toHaveLength(2);
  });
}
