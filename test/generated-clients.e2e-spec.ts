import { readFile } from 'node:fs/promises';
import type * as Client from '@armature/client';
import type { ArmatureError } from '@armature/client';
import { chromium } from 'playwright-core';
import type { MainJobProgram } from './clients/main-job.js';
import { sharedCluster } from './support/cluster.js';
import { GENERATOR_NAMES, GeneratedClient } from './support/generated-client.js';
import { PackedClient, PROJECT_NAMES } from './support/packed-client.js';
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

    it('compiles, with the program that uses it', async () => {
      expect(await client.compile()).toBe('');
    });

    playsMainJob(generator, () => client.load<MainJobProgram>());
  });

describe('the package @armature/client', () => {
  let packed: PackedClient;
  beforeAll(async () => {
    packed = await PackedClient.pack();
  }, 120_000);

  it('has the built files, the licence and how to use it, and needs no other package', async () => {
    const own = packed.files.filter((file) => !file.startsWith('dist/'));
    expect(own).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(packed.files).toEqual(
      expect.arrayContaining(['dist/index.js', 'dist/index.mjs', 'dist/index.d.ts', 'dist/index.d.mts']),
    );
    const description = JSON.parse(await readFile(packed.path('package.json'), 'utf8')) as Record<string, unknown>;
    expect(description).not.toHaveProperty('dependencies');
    for (const file of ['dist/index.js', 'dist/index.mjs'])
      expect(await readFile(packed.path(file), 'utf8')).not.toMatch(/\brequire\(|\bimport\(|^import /m);
  });

  it.each(PROJECT_NAMES)('compiles in a project with %s, its declarations and README included', async (project) => {
    expect(await packed.compile(project)).toBe('');
  });

  it('runs in a CommonJS project', async () => {
    await packed.compile('CommonJS');
    const { playMainJob } = await packed.load<MainJobProgram>('CommonJS');
    const nobody = { email: 'nobody@example.org', password: PASSWORD, baseUrl: world.baseUrl };
    const files = { kubeconfig: new File([], 'a'), design: new File([], 'b') };
    await expect(playMainJob({ ...nobody, ...files })).rejects.toMatchObject({ name: 'ArmatureError', status: 401 });
  });

  requires('CHROMIUM_BIN', 'in a browser', (executablePath) => {
    it('calls, uploads, and follows events and subscriptions, in a page of the server', async () => {
      const { email } = await world.person('admin');
      const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
      try {
        // Any page of the server, whose own policy allows no script.
        const page = await browser.newPage({ bypassCSP: true });
        await page.route('**/client.mjs', (route) => route.fulfill({ path: packed.path('dist/index.mjs') }));
        await page.goto(`${world.baseUrl}/api/system/version`);
        const seen = await page.evaluate(useInBrowser, { email, password: PASSWORD });
        expect(seen).toEqual({
          code: 'VALIDATION_FAILED',
          design: 'from a page',
          events: ['environment created', 'workspace created'],
          subscribed: ['environment', 'workspace'],
          path: 'Paths of files are for Node.js: give the file, its bytes or a stream.',
        });
      } finally {
        await browser.close();
      }
    }, 60_000);
  });

  playsMainJob('package', async () => {
    await packed.compile('NodeNext');
    return packed.load<MainJobProgram>('NodeNext');
  });
});

/** Runs in the page. */
async function useInBrowser(account: { email: string; password: string }): Promise<Record<string, unknown>> {
  const file = '/client.mjs';
  const { Armature, toFile } = (await import(file)) as typeof Client;
  const armature = await Armature.signIn(account);
  const [organization] = (await armature.getProfile()).organizations;
  const organization_id = organization?.id ?? '';
  const query = { orgID: organization_id };
  const after = (await armature.listEvents({ query: { ...query, pagesize: 1 } })).events[0]?.sequence ?? '0';
  await armature.createEnvironment({ body: { name: 'of a page', organization_id } });
  const workspace = await armature.createWorkspace({ body: { name: 'of a page', organization_id } });
  const events: string[] = [];
  for await (const { category, action } of armature.events({ query, after }))
    if (events.push(`${category} ${action}`) === 2) break;
  const subscribed: string[] = [];
  const results = armature.subscribe<{ subscribeEvents: { category: string } }>(
    'subscription ($id: ID, $after: String) { subscribeEvents(organizationID: $id, after: $after) { category sequence } }',
    { id: organization_id, after },
  );
  for await (const { subscribeEvents } of results) if (subscribed.push(subscribeEvents.category) === 2) break;
  const bytes = new TextEncoder().encode('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n');
  const design = await armature.importDesign({
    body: { file: await toFile(bytes, 'a.yaml'), name: 'from a page', workspace_id: workspace.id },
  });
  return {
    events,
    subscribed,
    design: 'name' in design && design.name,
    code: await armature.getEnvironment({ path: { id: 'no-id' } }).catch(({ code }: ArmatureError) => code),
    path: await toFile('/etc/hosts').catch(({ message }: Error) => message),
  };
}

function playsMainJob(name: string, load: () => Promise<MainJobProgram>): void {
  requires('KUBEBUILDER_ASSETS', 'on a real API server', () => {
    it('plays the main job, from signing in to undeploying', async () => {
      const { kubeconfig } = await sharedCluster();
      const person = await world.person('admin');
      const { playMainJob } = await load();
      const report = await playMainJob({
        baseUrl: world.baseUrl,
        email: person.email,
        password: PASSWORD,
        kubeconfig: new File([kubeconfig], 'kubeconfig.yaml'),
        design: new File([MANIFEST(`client-${name}`)], 'app.yaml'),
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
}
