import { expect, test } from 'vitest';
import { silentLog } from '../../../../runtime/base/log.ts';
import { readConfig } from '../../../../runtime/cli/config/config.ts';
import { openStoredServices } from '../../../../runtime/cli/wiring/open-stored-services.ts';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';

// proves: memory.forget
test('a gateway without the key of the embedding model still lists and forgets facts', async () => {
  const config = readConfig({
    TIMELOOM_CONFIG_DIR: import.meta.dirname,
    TIMELOOM_EMBEDDINGS: 'openai:text-embedding-3-small',
  });
  const storage = createMemoryStorage(() => 0);
  const { memory } = await openStoredServices(config, { storage, log: silentLog });
  const user = { tenant: 'dev', project: 'dev', user: 'ann' };
  const { signal } = new AbortController();
  expect(await memory.list(user, { signal })).toEqual([]);
  expect(await memory.forget(user, { all: true }, { signal })).toBe(0);
});
