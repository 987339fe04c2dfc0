import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withEsbuild } from '../../base/packages/esbuild.ts';

/**
 * The two scripts that a browser loads, each bundled into one file on first use: from the built modules if they exist,
 * otherwise from source.
 */
export class PageScripts {
  #page: Promise<string> | undefined;
  #client: Promise<string> | undefined;

  page(): Promise<string> {
    this.#page ??= bundle(new URL('../page/main.ts', import.meta.url));
    return this.#page;
  }

  /** `timeloom/client` for widgets: `import { connect } from '/assets/client.js'`. */
  client(): Promise<string> {
    this.#client ??= bundle(new URL('../../client/index.ts', import.meta.url));
    return this.#client;
  }
}

async function bundle(module: URL): Promise<string> {
  const source = fileURLToPath(module);
  const built = source.replace(/\.ts$/, '.js');
  const entry = existsSync(built) ? built : source;
  const { outputFiles } = await withEsbuild((build) =>
    build({
      entryPoints: [entry],
      bundle: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      minify: true,
      write: false,
      logLevel: 'silent',
    }),
  );
  return outputFiles[0]?.text ?? '';
}
