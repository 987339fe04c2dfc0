import { expect, test } from 'vitest';
import { randomIds } from '../../../runtime/adapters/system/ids.ts';
import { toConversationKey, toSeq } from '../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import {
  append,
  close,
  followup,
  log,
  newSender,
  own,
  prompt,
  promptWithFile,
  request,
  type StoreUnderTest,
  signal,
  started,
  thought,
} from './kit.ts';

/** What an event is when it opens a turn, and when it joins one. */
export function joiningContract(open: () => StoreUnderTest): void {
  const accept = (...args: Parameters<typeof request>) =>
    open().store.accept(request(...args), { signal });

  // proves: store.one-prompt-a-turn
  test('of prompts that race into one turn one is its prompt; the others join it under their own paths', async () => {
    const { store } = open();
    const sender = newSender();
    const conversation = randomIds.next('conv');
    const forms = ['one', 'two', 'three', 'four'].map((text) => promptWithFile(text));
    const answers = await Promise.all(
      forms.map((form) => accept(sender, { conversation, ...form })),
    );
    const blocks = await log(store, answers[0]?.key);
    expect(blocks.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(blocks.filter(({ type }) => type === 'user.prompt')).toHaveLength(1);
    for (const [index, { status, seq, turn }] of answers.entries()) {
      const [said, file] = blocks.slice(seq - 2, seq);
      const { events, message } = forms[index] ?? promptWithFile('');
      const written = events.map((event) => (status === 'started' ? event : event.joining));
      expect([said?.path, file?.path, said?.text]).toEqual([
        written[0]?.path?.replace('$turn', turn ?? ''),
        written[1]?.path?.replace('$turn', turn ?? ''),
        events[0].text,
      ]);
      expect(file?.event).toBe(message);
    }
    const hits = await store.search(sender, { targets: ['user'], limit: 9 }, { signal });
    expect(hits.map(({ seq }) => seq).sort()).toEqual([2, 4, 6, 8]);
  });

  test('which form an event takes is chosen when it is written, turn by turn', async () => {
    const { store } = open();
    const { sender, conversation, key, lease } = await started(store);
    const during = await accept(sender, { conversation, ...promptWithFile('during') });
    await store.append(key, append(lease, { blocks: [close(lease)], asOf: during.seq }), {
      signal,
    });
    const after = await accept(sender, { conversation, ...promptWithFile('after') });
    expect([during.status, after.status]).toEqual(['queued', 'started']);
    const types = (await log(store, key)).map(({ type }) => type);
    const joined = ['external.followup', 'user.attachment', 'turn.close'];
    const opened = ['turn.open', 'user.prompt', 'user.attachment'];
    expect(types).toEqual(['turn.open', 'user.prompt', ...joined, ...opened]);
  });

  test('an event that opens no turn and joins none is written as it is', async () => {
    const { key } = await accept(newSender(), { ...promptWithFile('x'), reactive: false });
    const blocks = await log(open().store, key);
    expect(blocks.map(({ path }) => path)).toEqual([
      'ar:none.user.prompt',
      'fi:none.user.attachments/a.csv',
    ]);
  });

  test('a prompt that joins as a steer is one only if it joins', async () => {
    const { store } = open();
    const sender = newSender();
    const path = toBlockPath('ar:$turn.external.steer.m');
    const events = [{ ...prompt('stop'), joining: { type: 'external.steer', path } }];
    const first = await accept(sender, { events });
    const { conversation } = first;
    expect(await store.find(sender, conversation, { signal })).toMatchObject({ steer: 0 });
    const second = await accept(sender, { conversation, events });
    expect(await store.find(sender, conversation, { signal })).toMatchObject({ steer: second.seq });
  });

  test('only a prompt may change its type when it joins a turn', async () => {
    const joining = { type: 'external.steer', path: toBlockPath('ar:$turn.external.steer.m') };
    const events = [{ ...followup('a'), joining }];
    await expect(accept(newSender(), { events })).rejects.toMatchObject({ name: 'Defect' });
  });

  // proves: store.one-call-per-message
  test('the answer says whether the event opened its turn and where the window starts, also when repeated', async () => {
    const { store } = open();
    const sender = newSender();
    const [opening, joining] = [promptWithFile('one'), promptWithFile('two')];
    const first = await accept(sender, opening);
    const { conversation, turn } = first;
    const second = await accept(sender, { conversation, ...joining });
    expect([first, second]).toMatchObject([
      { status: 'started', opened: true, windowSeq: 1 },
      { status: 'queued', opened: false, windowSeq: 1 },
    ]);
    const lease = await own(store, toConversationKey(first.key ?? 0));
    const window = { blocks: [thought(lease)], window: toSeq(4) };
    await store.append(lease.row.key, append(lease, window), { signal });
    const repeated = await Promise.all([
      accept(sender, opening),
      accept(sender, { conversation, ...joining }),
      accept(sender, { ...opening, digest: 'another' }),
    ]);
    expect(repeated).toMatchObject([
      { status: 'duplicate', turn, opened: true, windowSeq: 4 },
      { status: 'duplicate', turn, opened: false, windowSeq: 4 },
      { status: 'conflict', opened: false },
    ]);
  });

  test('an unfenced write is refused if what joins a turn is not an event', async () => {
    const joining = { type: 'react.thinking', path: toBlockPath('ar:$turn.thinking') };
    const events = [{ ...prompt('x'), joining }];
    await expect(accept(newSender(), { events })).rejects.toMatchObject({ name: 'Defect' });
  });
}
