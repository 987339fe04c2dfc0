import { keep } from '../../adapters/fargate/keeper/keep.ts';

// PID 1 of its container: nothing else would end it.
process.once('SIGTERM', () => process.exit(0));
await keep();
process.exit(0);
