import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * The two scripts a browser loads, each one file with what it imports: bundled when first asked for, from the built
 * modules where there are any, else from their source.
 */
export class PageScripts {
  #page: Promise<string> | undefined;
  #client: Promise<string> | undefined;

  page(): Promise<string> {
    this.#page ??= bundle('./page/main');
    return this.#page;
  }

  /** `timeloom/client` for widgets: `import { connect } from '/assets/client.js'`. */
  client(): Promise<string> {
    this.#client ??= bundle('../client/index');
    return this.#client;
  }
}

async function bundle(name: string): Promise<string> {
  const built = fileURLToPath(new URL(`${name}.js`, import.meta.url));
  const entry = existsSync(built) ? built : fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}
