import { readFile } from 'node:fs/promises';
import type { MainJobProgram } from './clients/main-job.js';
import { sharedCluster } from './support/cluster.js';
import { GENERATOR_NAMES, GeneratedClient } from './support/generated-client.js';
import type { Json } from './support/person.js';
import { requires } from './support/requirements.js';
import { PASSWORD } from './support/settings.js';
import { World } from './support/world.js';

const MANIFEST = (name: string): string => `apiVersion: v1
kind: Namespace
metadata: {name: ${name}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: ${name}}
data: {colour: blue}
`;

let world: World;
let openapi: string;
beforeAll(async () => {
  world = await World.start();
  openapi = await (await fetch(`${world.baseUrl}/api/openapi.json`)).text();
});
afterAll(() => world.stop());

for (const generator of GENERATOR_NAMES)
  describe(`a client that ${generator} makes of the served document`, () => {
    let client: GeneratedClient;
    beforeAll(async () => {
      client = await GeneratedClient.generate(generator, openapi);
    }, 120_000);
    afterAll(() => client.remove());

    it('has a function for every operation', async () => {
      const functions = await readFile(client.functionsFile, 'utf8');
      const { paths } = JSON.parse(openapi) as { paths: Record<string, Record<string, Json>> };
      const ids = Object.values(paths).flatMap((methods) =>
        Object.values(methods).map(({ operationId }) => operationId as string),
      );
      expect(ids.filter((id) => !new RegExp(`^export (const|function) ${id}\\b`, 'm').test(functions))).toEqual([]);
    });

    it('compiles, with the program that uses it', () => {
      expect(client.compile()).toEqual([]);
    }, 120_000);

    requires('KUBEBUILDER_ASSETS', 'on a real API server', () => {
      it('plays the main job, from signing in to undeploying', async () => {
        const { kubeconfig } = await sharedCluster();
        const person = await world.person('admin');
        const { playMainJob } = await client.load<MainJobProgram>();
        const report = await playMainJob({
          baseUrl: world.baseUrl,
          email: person.email,
          password: PASSWORD,
          kubeconfig: new File([kubeconfig], 'kubeconfig.yaml'),
          design: new File([MANIFEST(`client-${generator}`)], 'app.yaml'),
        }).catch((problem: unknown) => {
          throw problem instanceof Error ? problem : new Error(JSON.stringify(problem));
        });
        expect(report).toMatchObject({
          planned: ['create', 'create'],
          deployed: 'succeeded',
          deployedAgain: ['unchanged', 'unchanged'],
          undeployed: 'undeployed',
          refused: 'VALIDATION_FAILED',
        });
        expect(report.events).toEqual(
          expect.arrayContaining(['design imported', 'deployment success', 'deployment undeployed']),
        );
      }, 120_000);
    });
  });
