import { requireNode } from './require-node.mjs';
import { build, installPackages } from './steps.mjs';

await requireNode();
installPackages();
build();
