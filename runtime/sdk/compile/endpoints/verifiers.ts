import { z } from 'zod';
import type { BundleOperation } from '../../contract/runtime-bundle.ts';
import type { OperationDefinition } from '../../define/surfaces.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import { compileOperation, compileOperations } from '../operations/compile-operations.ts';
import type { Problems } from '../validate/problems.ts';
import { endpointAgentId } from './endpoint-agents.ts';

/**
 * One operation for each public endpoint of a bundle: it verifies a caller and does nothing else. Its id is that of the endpoint's
 * agent, so that no operation of the bundle has it.
 */
export function compileVerifiers(loaded: LoadedBundle): readonly BundleOperation[] {
  return (loaded.definition.mcp?.expose ?? []).flatMap((endpoint) => {
    if (endpoint.access !== 'public') return [];
    const operation: OperationDefinition = {
      definition: 'operation',
      id: endpointAgentId(endpoint.id),
      access: 'public',
      verify: endpoint.verify,
      input: z.object({}),
      run: () => null,
    };
    return [compileOperation(operation, loaded)];
  });
}

/** Everything that answers requests in the process of a bundle. */
export function compileOperationsAndVerifiers(
  loaded: LoadedBundle,
  problems: Problems,
): readonly BundleOperation[] {
  return [...compileOperations(loaded, problems), ...compileVerifiers(loaded)];
}
