import { requireNode } from './node.mjs';
import { build, installPackages } from './steps.mjs';

await requireNode();
installPackages();
build();
