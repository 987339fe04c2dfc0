import { fileURLToPath, pathToFileURL } from 'node:url';
import type { OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from 'esbuild';

const inner = 'timeloom-inner';

/**
 * Where a bundle's imports lead: `timeloom/*` and `zod` to the runtime's own, the bundle's own files into the build,
 * every other package to the place the bundle's folder resolves it to, not into the build.
 */
export function runtimeModules(dir: string): Plugin {
  return {
    name: 'runtime-modules',
    setup(build) {
      build.onResolve({ filter: /^timeloom\// }, ({ path }) => ownModule(path));
      build.onResolve({ filter: /^zod($|\/)/ }, ({ path }) => outside(import.meta.resolve(path)));
      build.onResolve({ filter: /^[^./]/ }, (request) => packageOf(request, { build, dir }));
    },
  };
}

const modules: Readonly<Record<string, string>> = {
  'timeloom/sdk': '../../sdk/index',
  'timeloom/channels': '../../channels/index',
};

/** A built runtime is shared with the bundle. When running from source, the SDK is built into the bundle. */
function ownModule(path: string): OnResolveResult {
  const module = modules[path];
  if (module === undefined) {
    return {
      errors: [{ text: `a bundle may import ${Object.keys(modules).join(', ')}, not ${path}` }],
    };
  }
  const source = import.meta.url.endsWith('.ts');
  const url = new URL(`${module}${source ? '.ts' : '.js'}`, import.meta.url);
  return source ? { path: fileURLToPath(url) } : outside(url.href);
}

async function packageOf(
  { path, kind, resolveDir, pluginData, importer }: OnResolveArgs,
  { build, dir }: { build: PluginBuild; dir: string },
): Promise<OnResolveResult | undefined> {
  if (pluginData === inner || kind === 'entry-point') return undefined;
  const found = await build.resolve(path, {
    kind,
    resolveDir: resolveDir || dir,
    importer,
    pluginData: inner,
  });
  if (found.errors.length > 0) return { errors: found.errors };
  return found.external
    ? { path: found.path, external: true }
    : outside(pathToFileURL(found.path).href);
}

function outside(url: string): OnResolveResult {
  return { path: url, external: true };
}
