import { generate } from '../../clients/typescript/scripts/generate.mjs';

export default async function setUp() {
  await generate();
  const { openTestRun } = await import('./test-run.ts');
  globalThis.closeTestRun = await openTestRun({
    programs: async () => (await import('./programs.ts')).compilePrograms(),
    'command line': async () => (await import('./command-line.ts')).buildCommandLine(),
    build: async () => (await import('./built-server.ts')).build(),
    database: async () => (await import('./database-server.ts')).startDatabaseServer(),
    cluster: async () => share(await (await import('./cluster.ts')).startCluster()),
    'bare cluster': async () => share(await (await import('./cluster.ts')).startCluster({ bare: true })),
  });
}

function share({ stop, ...facts }) {
  return { facts, stop };
}
