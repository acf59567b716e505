import module from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/**
 * Node.js 22 and later keep the compiled code of what is loaded from here on, and the next start reads it. It is kept beside the program and
 * not in the temporary folder, where other users of the machine could put code of theirs; where that cannot be written to, it is not kept.
 */
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };

if (import.meta.url.endsWith('.js')) enableCompileCache?.(fileURLToPath(new URL('../compile-cache', import.meta.url)));

/** The first process of a container is ended only by signals that it handles. Loading takes a while, and nothing is begun before it. */
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
await import('./server.js');
