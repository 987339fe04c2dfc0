import type { FargateSettings } from '../../../runtime/adapters/fargate/settings/settings.ts';
import { openFargate } from '../../../runtime/cli/sandbox/open-fargate.ts';
import { ran, request, sandboxParts } from '../exec/kit.ts';

/** A worker to be killed while its task starts. */
async function main(settings: FargateSettings): Promise<void> {
  const sandbox = await openFargate({ ...sandboxParts(), settings });
  await ran(sandbox, request('python', 'print(1)'));
}

const [, , said = ''] = process.argv;
await main(JSON.parse(said) as FargateSettings);
