import { asObject } from '../../../../core/json/json.js';
import { importCompose } from '../compose-input.fixture.js';
import { resources, kinds } from './workload.fixture.js';

describe('the kind of a workload', () => {
  it.each([
    ['{image: x}', ['Deployment/web']],
    ['{image: x, restart: always}', ['Deployment/web']],
    ['{image: x, restart: "no"}', ['Pod/web']],
    ['{image: x, restart: "on-failure:3"}', ['Pod/web']],
    ['{image: x, restart: always, deploy: {restart_policy: {condition: none}}}', ['Pod/web']],
    ['{image: x, restart: on-failure, scale: 2}', ['Deployment/web']],
    ['{image: x, deploy: {mode: global}}', ['DaemonSet/web']],
    ['{image: x, deploy: {mode: replicated-job}}', ['Job/web']],
    ['{image: x, labels: {kompose.controller.type: statefulset}}', ['StatefulSet/web', 'Service/web']],
    ['{image: x, restart: "no", labels: {kompose.cronjob.schedule: "*/5 * * * *"}}', ['CronJob/web']],
    ['{image: x, ports: ["80"]}', ['Deployment/web', 'Service/web']],
    ['{image: x, expose: [80]}', ['Deployment/web', 'Service/web']],
    ['{image: x, labels: {kompose.service.type: headless}}', ['Deployment/web', 'Service/web']],
    [
      '{image: x, ports: ["80"], labels: {kompose.service.expose: "true"}}',
      ['Deployment/web', 'Service/web', 'Ingress/web'],
    ],
    ['{image: x, labels: {kompose.hpa.cpu: 50}}', ['Deployment/web', 'HorizontalPodAutoscaler/web']],
  ])('of %s makes %j', async (service, expected) => {
    expect(await kinds(service)).toEqual(expected);
  });

  it('gets a headless Service without ports when others reach it by name', async () => {
    const headless = async (web: string, db = 'image: db', more = ''): Promise<string[]> => {
      const found = await resources(`services:\n  web: {image: x, ${web}}\n  db: {${db}}\n${more}`);
      return [...found].filter(([key, { spec }]) => key.startsWith('Service/') && asObject(spec)['clusterIP'] === 'None').map(([key]) => key); // prettier-ignore
    };
    for (const web of [
      'depends_on: [db]',
      'links: [db]',
      'links: ["db:data"]',
      'environment: {DB_HOST: db}',
      'environment: ["DB=postgres://user:pw@db:5432/shop"]',
      'environment: {NODES: "a:1,db:9042"}',
      'environment: {URL: "http://db/path"}',
      'environment: {JDBC: "jdbc:postgresql://db:5432/x"}',
      'command: ["--store=db:6379"]',
    ])
      expect([web, await headless(web)]).toEqual([web, ['Service/db']]);
    for (const web of [
      'environment: {SCHEME: "db://x", PATH: "/var/lib/db", OTHER: "db.example.com", NAME: "my-db"}',
      'depends_on: {db: {condition: service_completed_successfully}}',
    ])
      expect([web, await headless(web)]).toEqual([web, []]);
    expect(await headless('environment: {DB_HOST: db}', 'image: db, expose: [5432]')).toEqual([]);
    const apart = 'networks: {inner: {}, outer: {}}';
    expect(await headless('environment: {H: db}, networks: [outer]', 'image: db, networks: [inner]', apart)).toEqual(
      [],
    );
    expect(await headless('environment: {H: db}, networks: [inner]', 'image: db, networks: [inner]', apart)).toEqual(['Service/db']); // prettier-ignore
    const found = await resources('services:\n  web: {image: x, depends_on: [db]}\n  db: {image: db}\n');
    expect(found.get('Service/db')).toEqual({
      metadata: { name: 'db', labels: { 'app.kubernetes.io/name': 'db' } },
      spec: { type: 'ClusterIP', clusterIP: 'None', selector: { 'app.kubernetes.io/name': 'db' } },
    });
  });

  it('without a Service, or with one of another name, is a warning at its place', async () => {
    const warned = async (content: string): Promise<string[]> =>
      (await importCompose(content)).warnings.map(({ line, detail }) => `${line}: ${detail}`);
    expect(await warned('services:\n  web: {image: x, ports: ["80"]}\n  worker: {image: y}\n')).toEqual([
      '3: has no ports, and no other service names it, so it gets no Service and cannot be reached by name',
    ]);
    expect(await warned('services:\n  web: {image: x}\n')).toEqual([]);
    expect(await warned('services:\n  web: {image: x, ports: ["80"]}\n  once: {image: y, restart: "no"}\n')).toEqual(
      [],
    );
    const other = `services:
  web: {image: x, ports: ["80"], environment: {A: "my_db:1", B: "box", C: "store"}}
  my_db: {image: y, expose: [1], container_name: box, networks: {default: {aliases: [store]}}}
`;
    expect(await warned(other)).toEqual([
      '2: names the host my_db; its Service in Kubernetes is my-db',
      '2: names the host box, which is the service my_db; its Service in Kubernetes is my-db',
      '2: names the host store, which is the service my_db; its Service in Kubernetes is my-db',
    ]);
  });

  it('warns of passwords as plain text and of sizes that are guesses, once for each', async () => {
    const { warnings } = await importCompose({
      'compose.yaml': `services:
  a:
    image: x
    env_file: [a.env]
    environment: {DB_PASSWORD: hunter2, DB_PASSWORD_FILE: /run/secrets/db, ALLOW_EMPTY_PASSWORD: "yes", URL: "postgres://u:pw@db/x", KEYBOARD: de}
    depends_on: [b]
    volumes: [data:/data, sized:/sized, other:/other]
  b: {image: x, environment: {PEER: a}, volumes: [data:/data]}
volumes:
  data: {}
  sized: {labels: {kompose.volume.size: 1Gi}}
  other: {external: true}
`,
      'a.env': 'API_TOKEN=x\nCOLOUR=blue\n',
    });
    expect(warnings.map(({ line, detail, remedy }) => [line, detail, remedy !== undefined])).toEqual([
      [4, 'API_TOKEN is plain text in the ConfigMap a-env, visible to everyone who can read it', true],
      [5, 'DB_PASSWORD is plain text in the workload, visible to everyone who can read it', true],
      [5, 'URL is plain text in the workload, visible to everyone who can read it', true],
      [10, 'asks for 100Mi, which is a guess: Compose files have no sizes', true],
    ]);
    expect(JSON.stringify(warnings)).not.toMatch(/hunter2|pw@db/);
  });

  it('puts services that share a network into one pod', async () => {
    const found = await resources(
      'services: {a: {image: x}, b: {image: y, network_mode: "service:a"}, c: {image: z, network_mode: "service:b"}}',
    );
    expect([...found.keys()]).toEqual(['Deployment/a']);
    expect(found.get('Deployment/a')).toMatchObject({
      spec: { template: { spec: { containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] } } },
    });
  });
});
