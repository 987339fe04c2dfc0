import { openPostgresTimelineStore } from '../../../runtime/adapters/sql/open.ts';
import { startPostgres } from '../../tools/services/services.ts';
import { realTime } from '../timeline-store/real-time.ts';
import { timelineStoreContract } from '../timeline-store.ts';

timelineStoreContract('postgres', async () => {
  const server = await startPostgres();
  const opened = realTime(await openPostgresTimelineStore({ url: server.url }));
  return {
    ...opened,
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
});
