import type { Ports } from '../cli/wiring/open-runtime.ts';
import { type Gateway, openGateway } from '../gateway/gateway.ts';
import type { BundleDirectory } from '../gateway/ports/bundle-directory.ts';
import { testScope } from './test-scope.ts';

const loopback = { host: '127.0.0.1', port: 0 };

/** The real gateway, on a free port of this machine. */
export function openTestGateway(ports: Ports, bundles: BundleDirectory): Promise<Gateway> {
  const parts = { ...ports, auth: { mode: 'dev' } as const, scope: testScope, bundles };
  return openGateway({ ...parts, health: () => ({}) }, loopback);
}
