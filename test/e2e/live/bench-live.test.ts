import { expect, test } from 'vitest';
import { benchLive, quickSizes } from '../../bench/live/bench.ts';

// proves: live.bench
test('the live path is measured beside a bare server: acknowledgement, deltas, steer, reconnect, clients', async () => {
  const { figures, missing } = await benchLive(quickSizes)();
  expect(missing ?? []).toEqual([]);
  expect(figures.map(({ id }) => id.replace(/_\d+_streams/, '_n_streams'))).toEqual([
    'live.acknowledgement_vs_insert',
    'live.delta_n_streams_vs_bare_loop',
    'live.lag_p99_n_streams_vs_bare_loop',
    'live.steer_p50_vs_abort',
    'live.steer_p99_vs_abort',
    'live.resent_vs_missed',
    'live.idle_client_vs_bare_socket',
    'live.quick_p99_with_slow_vs_without',
    'live.quick_client_loop_p99_with_slow_vs_without',
  ]);
  const resent = figures.find(({ id }) => id === 'live.resent_vs_missed');
  expect(resent?.ours).toBeGreaterThan(0);
  expect(resent?.ours).toBeLessThanOrEqual((resent?.theirs ?? 0) + 1_024);
}, 240_000);
