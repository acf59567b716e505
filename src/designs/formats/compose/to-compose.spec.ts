import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { requires } from '../../../../test/support/requirements.js';
import { createDesign } from '../../../formats/design-file/canonical-design.js';
import { toComponents } from '../../../formats/design-file/design-component.js';
import { type DesignFile } from '../../../formats/design-file/design-file.js';
import { toYaml } from '../../../formats/documents/yaml-writer.js';
import { importCompose } from './compose-input.fixture.js';
import { keptOf } from './corpus.fixture.js';
import { toCompose } from './to-compose.js';

async function again(design: DesignFile): Promise<DesignFile> {
  return (await importCompose(toYaml([toCompose(design).file]))).design;
}

describe('a design written as Compose', () => {
  it('is the project that was imported, with its dollar signs and its extensions', async () => {
    const { design } = await importCompose(
      `
name: shop
x-team: a
services:
  web: {image: "nginx:$TAG", command: echo $$HOME, environment: {A: $$B}, ports: ["80:80"], logging: {driver: none}}
  db: {image: postgres, volumes: ["data:/d"], network_mode: "service:web"}
volumes: {data: {driver: local}}
configs: {c: {content: $$x}}`,
      { env: { TAG: '1' } },
    );
    const { file, unconverted: left } = toCompose(design);
    expect(left).toEqual([]);
    expect(file).toMatchObject({
      name: 'shop',
      'x-team': 'a',
      services: { web: { image: 'nginx:1', command: ['echo', '$$HOME'], environment: { A: '$$B' } } },
      configs: { c: { content: '$$x' } },
    });
    expect(keptOf(await again(design))).toEqual(keptOf(design));
  });

  it('has what was changed in its components since', async () => {
    const { design } = await importCompose(
      'services: {web: {image: a, scale: 2, cpus: 1, labels: {x: y}, environment: {A: 1}, tty: true}}',
    );
    const changed = structuredClone(design);
    const spec = changed.components[0]?.configuration.spec as {
      replicas: number;
      template: { spec: { containers: object[] } };
    };
    spec.replicas = 5;
    spec.template.spec.containers = [
      { name: 'web', image: 'b', env: [{ name: 'A', value: '2' }], resources: { limits: { cpu: '1' } } },
    ];
    expect(toCompose(changed).file).toEqual({
      services: { web: { image: 'b', cpus: 1, labels: { x: 'y' }, environment: { A: '2' }, deploy: { replicas: 5 } } },
    });
  });

  it('says workloads of other origin as services, and names what it cannot say', () => {
    const components = toComponents([
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: {
          replicas: 2,
          template: {
            metadata: { labels: { app: 'web' } },
            spec: {
              containers: [
                {
                  name: 'web',
                  image: 'nginx',
                  args: ['-g', '$$(x)'],
                  ports: [{ containerPort: 80 }],
                  resources: { limits: { cpu: '250m', memory: '64Mi' } },
                },
                { name: 'log', image: 'busybox', livenessProbe: { exec: { command: ['true'] }, periodSeconds: 5 } },
              ],
            },
          },
        },
      },
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web' },
        spec: { type: 'NodePort', selector: { app: 'web' }, ports: [{ port: 8080, targetPort: 80 }] },
      },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    ]);
    const { file, unconverted: left } = toCompose(createDesign({ name: 'shop', components }));
    expect(file).toEqual({
      services: {
        web: {
          image: 'nginx',
          command: ['-g', '$$(x)'],
          deploy: { resources: { limits: { cpus: '0.25', memory: '64m' } }, replicas: 2 },
          expose: ['80'],
          ports: [{ target: 80, published: '8080', protocol: 'tcp' }],
        },
        'web-log': {
          image: 'busybox',
          healthcheck: { test: ['CMD', 'true'], interval: '5s' },
          network_mode: 'service:web',
        },
      },
    });
    expect(left.map(({ component }) => component.kind)).toEqual(['Namespace']);
  });
});

requires('CORPUS_DIR', 'the Compose files of the corpus, written and read again', (corpus) => {
  it('are the same project', async () => {
    const root = join(corpus, 'compose');
    let same = 0;
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || !/\.ya?ml$/.test(entry.name) || /output|expected/.test(path)) continue;
      const imported = await importCompose(readFileSync(path, 'utf8')).catch(() => undefined);
      if (!imported) continue;
      expect({ path: relative(root, path), design: keptOf(await again(imported.design)) }).toEqual({
        path: relative(root, path),
        design: keptOf(imported.design),
      });
      same += 1;
    }
    expect(same).toBeGreaterThan(150);
  }, 120_000);
});
