import { provenCases, provenDefinition } from '../../test/support/proven-cases.js';
import type { ApiServer, Kind } from './api-server.js';
import { install } from './definitions.js';

const GROUP = 'proof.example.com';

/** Asks the server again about the cases of the unit tests; answers those that it judges otherwise than the file says. */
export async function proveCases(server: ApiServer): Promise<{ count: number; others: string[] }> {
  const cases = provenCases();
  const { definition, resources } = provenDefinition(cases, GROUP);
  const [installed] = await install(server, [definition]);
  if (!installed) throw new Error('the definition of the proven cases was refused');
  const kind: Kind = installed.kind;
  const others: string[] = [];
  for (const [index, { line, isTaken }] of cases.entries()) {
    const { isValid } = await server.judge(kind, resources[index] ?? {});
    if (isValid !== isTaken) others.push(line);
  }
  return { count: cases.length, others };
}
