import module from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/**
 * Enables the compile cache of Node.js 22 and later for the modules loaded from here on. The cache is next to the program, because other users
 * of the machine could write code into one in the temporary folder. If that folder is read-only, there is no cache.
 */
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };

if (import.meta.url.endsWith('.js')) enableCompileCache?.(fileURLToPath(new URL('../compile-cache', import.meta.url)));

/** Process 1 of a container ignores signals without a handler. Until `server.js` is loaded there is nothing to shut down. */
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
await import('./server.js');
