import module from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Node.js 22 and later keep the compiled code of what is loaded from here on, and the next start reads it. It is kept beside the program and
 * not in the temporary folder, where other users of the machine could put code of theirs; where that cannot be written to, it is not kept.
 */
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };

if (import.meta.url.endsWith('.js')) enableCompileCache?.(fileURLToPath(new URL('../compile-cache', import.meta.url)));
await import('./server.js');
