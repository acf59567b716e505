import module from 'node:module';

/** Node.js 22 and later keep the compiled code of what is loaded from here on, and the next start reads it. */
const { enableCompileCache } = module as { enableCompileCache?: () => unknown };

enableCompileCache?.();
await import('./server.js');
