import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundlePages } from '../../dist/runtime/gateway/assets/bundle-pages.js';
import { root } from '../steps.mjs';

/** Bundles and compresses the pages, as the server sends them. The compiler has built the bundler before. */
const sources = join(root, 'runtime/gateway/pages');
const built = join(root, 'dist/runtime/gateway/pages');
const out = join(built, 'assets');
// The compiler has also built the modules of the pages one by one, which nothing loads.
rmSync(built, { recursive: true, force: true });
const client = join(root, 'runtime/client/index.ts');
await bundlePages({ sources, client, out }, { compress: true });
