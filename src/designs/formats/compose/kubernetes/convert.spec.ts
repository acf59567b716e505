import { asObject, type JsonObject } from '../../../../core/json/json.js';
import { importCompose, resourcesOf } from '../compose-input.fixture.js';

async function resources(content: string | Record<string, string | Uint8Array>): Promise<Map<string, JsonObject>> {
  return resourcesOf(await importCompose(content));
}

async function kinds(service: string, more = ''): Promise<string[]> {
  return [...(await resources(`services: {web: ${service}}\n${more}`)).keys()];
}

interface PodSpec {
  containers: JsonObject[];
  volumes?: JsonObject[];
  [key: string]: unknown;
}

async function podOf(service: string, more = ''): Promise<PodSpec> {
  const found = await resources(`services: {web: ${service}}\n${more}`);
  const { spec } = found.get('Deployment/web') as unknown as { spec: { template: { spec: PodSpec } } };
  return spec.template.spec;
}

async function containerOf(service: string, more = ''): Promise<JsonObject> {
  return (await podOf(service, more)).containers[0] ?? {};
}

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
      '3: has no ports, and no other service names it, so it gets no Service: nothing reaches it by name',
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
      [4, 'API_TOKEN stands as plain text in the ConfigMap a-env, for everybody who may read that', true],
      [5, 'DB_PASSWORD stands as plain text in the workload, for everybody who may read that', true],
      [5, 'URL stands as plain text in the workload, for everybody who may read that', true],
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

describe('a container', () => {
  it('has the entry point as command and the command as arguments, with $ as it was', async () => {
    const container = await containerOf(
      '{image: x, entrypoint: sh -c, command: ["echo $$(A) $$$$", b], environment: {A: "$$(B)"}}',
    );
    expect(container).toMatchObject({
      command: ['sh', '-c'],
      args: ['echo $$(A) $$$', 'b'],
      env: [{ name: 'A', value: '$$(B)' }],
    });
  });

  it('is called by its container name, or by its service, and by the service when it is only built', async () => {
    expect(await containerOf('{image: x, container_name: My_App}')).toMatchObject({ name: 'my-app', image: 'x' });
    const { design } = await importCompose('services: {web: {build: .}}');
    expect(design.components[0]?.configuration).toMatchObject({
      spec: { template: { spec: { containers: [{ image: 'web' }] } } },
    });
    expect(design.components[0]?.metadata).toMatchObject({ compose: { built: true, kept: ['build'] } });
  });

  it('checks its health as Docker would', async () => {
    expect(
      await containerOf(
        '{image: x, healthcheck: {test: curl a, interval: 1m30s, timeout: 500ms, retries: 5, start_period: 10s}}',
      ),
    ).toMatchObject({
      livenessProbe: {
        exec: { command: ['/bin/sh', '-c', 'curl a'] },
        periodSeconds: 90,
        timeoutSeconds: 1,
        failureThreshold: 5,
        initialDelaySeconds: 10,
      },
    });
    expect(await containerOf('{image: x, healthcheck: {test: [CMD, curl, a]}}')).toMatchObject({
      livenessProbe: { exec: { command: ['curl', 'a'] }, timeoutSeconds: 30 },
    });
    expect(await containerOf('{image: x, healthcheck: {test: [NONE]}}')).not.toHaveProperty('livenessProbe');
    expect(await containerOf('{image: x, healthcheck: {disable: true, test: x}}')).not.toHaveProperty('livenessProbe');
    expect(
      await containerOf(
        '{image: x, labels: {kompose.service.healthcheck.readiness.http_get_port: 80, kompose.service.healthcheck.readiness.http_get_path: /up}}',
      ),
    ).toMatchObject({
      readinessProbe: { httpGet: { path: '/up', port: 80 } },
    });
  });

  it('has the resources of deploy, or those of the service', async () => {
    const deploy =
      '{resources: {limits: {cpus: "0.5", memory: 50M}, reservations: {cpus: 0.25, memory: 20M, devices: [{capabilities: [gpu], count: 2}]}}}';
    expect(await containerOf(`{image: x, deploy: ${deploy}}`)).toMatchObject({
      resources: {
        limits: { cpu: '500m', memory: '50Mi', 'nvidia.com/gpu': '2' },
        requests: { cpu: '250m', memory: '20Mi' },
      },
    });
    expect(await containerOf('{image: x, mem_limit: 10000, mem_reservation: 1k, cpus: 2}')).toMatchObject({
      resources: { limits: { cpu: '2', memory: '10000' }, requests: { memory: '1Ki' } },
    });
  });

  it('has the rights that the service has', async () => {
    const service =
      '{image: x, user: "1000:100", cap_add: [CAP_NET_ADMIN], cap_drop: [all], read_only: true, security_opt: ["no-new-privileges:true", "seccomp:unconfined"]}';
    expect(await containerOf(service)).toMatchObject({
      securityContext: {
        runAsUser: 1000,
        runAsGroup: 100,
        capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        seccompProfile: { type: 'Unconfined' },
      },
    });
    expect(await containerOf('{image: x, user: root}')).toMatchObject({ securityContext: { runAsUser: 0 } });
    expect((await importCompose('services: {web: {image: x, user: app}}')).warnings[0]?.detail).toContain(
      '"app" is kept',
    );
  });

  it('has variables of env files as ConfigMaps, under those of its own', async () => {
    const found = await resources({
      'compose.yaml':
        'services: {a: {image: x, env_file: [conf/a.env], environment: {B: 2}}, b: {image: x, env_file: conf/a.env}}',
      'conf/a.env': 'A=1\nB=1',
    });
    expect([...found.keys()]).toEqual(['ConfigMap/conf-a-env', 'Deployment/a', 'Deployment/b']);
    expect(found.get('ConfigMap/conf-a-env')).toMatchObject({ data: { A: '1', B: '1' } });
    expect(found.get('Deployment/a')).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [{ env: [{ name: 'B', value: '2' }], envFrom: [{ configMapRef: { name: 'conf-a-env' } }] }],
          },
        },
      },
    });
    const missing = await importCompose('services: {a: {image: x, env_file: [a.env, {path: b.env, required: false}]}}');
    expect(missing.warnings).toMatchObject([{ detail: 'a.env is not part of the import; its variables are missing' }]);
  });
});

describe('a pod', () => {
  it('has what Docker gives to a container as a whole', async () => {
    const pod =
      await podOf(`{image: x, hostname: one, domainname: two, dns: 1.1.1.1, dns_search: [a.b], dns_opt: ["ndots:2"],
      extra_hosts: ["h:10.0.0.1", "i:10.0.0.1"], stop_grace_period: 1m, pid: host, ipc: host, group_add: [5],
      sysctls: {net.ipv4.tcp_syncookies: 0, net.core.somaxconn: 1024}, platform: linux/arm64}`);
    expect(pod).toMatchObject({
      hostname: 'one',
      subdomain: 'two',
      dnsConfig: { nameservers: ['1.1.1.1'], searches: ['a.b'], options: [{ name: 'ndots', value: '2' }] },
      hostAliases: [{ ip: '10.0.0.1', hostnames: ['h', 'i'] }],
      terminationGracePeriodSeconds: 60,
      hostPID: true,
      hostIPC: true,
      securityContext: { supplementalGroups: [5], sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '0' }] },
      nodeSelector: { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64' },
    });
    expect(await podOf('{image: x, network_mode: host}')).toMatchObject({
      hostNetwork: true,
      dnsPolicy: 'ClusterFirstWithHostNet',
    });
  });

  it('goes where its placement says', async () => {
    const pod =
      await podOf(`{image: x, deploy: {placement: {constraints: [node.role==manager, "node.labels.disk != ssd", odd],
      preferences: [{spread: node.labels.zone}], max_replicas_per_node: 1}}}`);
    expect(pod).toMatchObject({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: 'node-role.kubernetes.io/control-plane', operator: 'Exists' },
                  { key: 'disk', operator: 'NotIn', values: ['ssd'] },
                ],
              },
            ],
          },
        },
        podAntiAffinity: {},
      },
      topologySpreadConstraints: [{ topologyKey: 'zone' }],
    });
  });
});

describe('the volumes of a pod', () => {
  it('are claims, memory and files, each mounted where the service says', async () => {
    const found = await resources({
      'compose.yaml': `
services:
  web:
    image: x
    volumes: ["data:/data:ro", /anon, "./conf/app.ini:/etc/app.ini", "./certs:/certs", "./gone:/gone", {type: tmpfs, target: /t, tmpfs: {size: 1m}}]
    tmpfs: /run:size=64m
    shm_size: 128m
volumes: {data: {labels: {kompose.volume.size: 2Gi}}}`,
      'conf/app.ini': 'a=1',
      'certs/a.pem': 'pem',
      'certs/b.bin': new Uint8Array([0, 255]),
    });
    expect([...found.keys()]).toEqual([
      'PersistentVolumeClaim/data',
      'PersistentVolumeClaim/web-claim0',
      'ConfigMap/web-cm0',
      'ConfigMap/web-cm1',
      'PersistentVolumeClaim/web-claim1',
      'Deployment/web',
    ]);
    expect(found.get('PersistentVolumeClaim/data')).toMatchObject({
      spec: { resources: { requests: { storage: '2Gi' } } },
    });
    expect(found.get('PersistentVolumeClaim/web-claim0')).toMatchObject({
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '100Mi' } } },
    });
    expect(found.get('ConfigMap/web-cm1')).toMatchObject({ data: { 'a.pem': 'pem' }, binaryData: { 'b.bin': 'AP8=' } });
    expect(found.get('Deployment/web')).toMatchObject({
      spec: {
        strategy: { type: 'Recreate' },
        template: {
          spec: {
            containers: [
              {
                volumeMounts: [
                  { name: 'data', mountPath: '/data', readOnly: true },
                  { name: 'web-claim0', mountPath: '/anon' },
                  { name: 'web-cm0', mountPath: '/etc/app.ini', subPath: 'app.ini' },
                  { name: 'web-cm1', mountPath: '/certs' },
                  { name: 'web-claim1', mountPath: '/gone' },
                  { name: 'web-tmpfs0', mountPath: '/t' },
                  { name: 'tmpfs-0', mountPath: '/run' },
                  { name: 'shm', mountPath: '/dev/shm' },
                ],
              },
            ],
          },
        },
      },
    });
  });

  it('follow the label kompose.volume.type', async () => {
    const volumes = async (type: string) =>
      (await podOf(`{image: x, volumes: ["/etc/a:/a"], labels: {kompose.volume.type: ${type}}}`)).volumes?.[0];
    expect(await volumes('hostPath')).toMatchObject({ hostPath: { path: '/etc/a' } });
    expect(await volumes('emptyDir')).toMatchObject({ emptyDir: {} });
    expect(await volumes('configMap')).toMatchObject({ configMap: { name: 'web-cm0' } });
    expect(await volumes('persistentVolumeClaim')).toMatchObject({
      persistentVolumeClaim: { claimName: 'web-claim0' },
    });
  });

  it('of volumes_from are those of the other service', async () => {
    const found = await resources(
      'services: {a: {image: x, volumes: ["d:/d", /anon]}, b: {image: x, volumes_from: ["a:ro"]}}\nvolumes: {d: }',
    );
    expect([...found.keys()]).toEqual([
      'PersistentVolumeClaim/d',
      'PersistentVolumeClaim/a-claim0',
      'Deployment/a',
      'Deployment/b',
    ]);
    expect(found.get('Deployment/b')).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [
              {
                volumeMounts: [
                  { name: 'd', readOnly: true },
                  { name: 'a-claim0', readOnly: true },
                ],
              },
            ],
          },
        },
      },
    });
  });

  it('of a StatefulSet are its own claims', async () => {
    const found = await resources(
      'services: {a: {image: x, volumes: ["d:/d"], labels: {kompose.controller.type: statefulset}}}\nvolumes: {d: }',
    );
    expect([...found.keys()]).toEqual(['StatefulSet/a', 'Service/a']);
    expect(found.get('StatefulSet/a')).toMatchObject({ spec: { volumeClaimTemplates: [{ metadata: { name: 'd' } }] } });
  });

  it('are configs and secrets', async () => {
    const text = `services: {web: {image: x, configs: [c, {source: c, target: /etc/c.ini, mode: "0400"}], secrets: [{source: s, target: key}, t]}}
configs: {c: {content: "a=$$1"}}
secrets: {s: {environment: KEY}, t: {external: true, name: real-t}}`;
    const imported = await importCompose(text, { env: { KEY: 'hush' } });
    const found = resourcesOf(imported);
    expect([...found.keys()]).toEqual(['ConfigMap/c', 'Secret/s', 'Deployment/web']);
    expect(found.get('ConfigMap/c')).toMatchObject({ data: { c: 'a=$1' } });
    expect(found.get('Secret/s')).toMatchObject({ data: { s: Buffer.from('hush').toString('base64') } });
    expect(found.get('Deployment/web')).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [
              {
                volumeMounts: [
                  { mountPath: '/c', subPath: 'c' },
                  { mountPath: '/etc/c.ini', subPath: 'c.ini' },
                  { mountPath: '/run/secrets/key', subPath: 'key' },
                  { mountPath: '/run/secrets/t', subPath: 't' },
                ],
              },
            ],
            volumes: [
              { name: 'config-c' },
              { name: 'config-c-2', configMap: { defaultMode: 0o400 } },
              { name: 'secret-s' },
              { name: 'secret-real-t', secret: { secretName: 'real-t' } },
            ],
          },
        },
      },
    });
    expect(imported.warnings).toEqual([]);
  });
});

describe('a Service', () => {
  async function portsOf(service: string): Promise<unknown> {
    const found = await resources(`services: {web: ${service}}`);
    return (found.get('Service/web') as unknown as { spec: { ports: unknown } }).spec.ports;
  }

  it('has the published ports, and inside the cluster those of the container', async () => {
    expect(
      await portsOf('{image: x, ports: ["8080:80", "127.0.0.1:53:53/udp", "[::1]:90-91:90-91"], expose: ["7000"]}'),
    ).toEqual([
      { name: '8080', port: 8080, targetPort: 80, protocol: 'TCP' },
      { name: '53-udp', port: 53, targetPort: 53, protocol: 'UDP' },
      { name: '90', port: 90, targetPort: 90, protocol: 'TCP' },
      { name: '91', port: 91, targetPort: 91, protocol: 'TCP' },
      { name: '80', port: 80, targetPort: 80, protocol: 'TCP' },
      { name: '7000', port: 7000, targetPort: 7000, protocol: 'TCP' },
    ]);
  });

  it('is of the type that its label names', async () => {
    const labels =
      'labels: {kompose.service.type: nodeport, kompose.service.nodeport.port: "30080", kompose.service.external-traffic-policy: local}';
    const found = await resources(`services: {web: {image: x, ports: ["8080:80"], ${labels}}}`);
    expect(found.get('Service/web')).toMatchObject({
      spec: { type: 'NodePort', externalTrafficPolicy: 'Local', ports: [{ port: 8080, nodePort: 30080 }] },
    });
  });

  it('is reached from outside through an Ingress', async () => {
    const labels =
      'labels: {kompose.service.expose: "a.example.com/shop,b.example.com", kompose.service.expose.tls-secret: tls, kompose.service.expose.ingress-class-name: nginx}';
    const found = await resources(`services: {web: {image: x, ports: ["80"], ${labels}}}`);
    expect(found.get('Ingress/web')).toMatchObject({
      spec: {
        ingressClassName: 'nginx',
        rules: [
          { host: 'a.example.com', http: { paths: [{ path: '/shop' }] } },
          { host: 'b.example.com', http: { paths: [{ path: '/' }] } },
        ],
        tls: [{ hosts: ['a.example.com', 'b.example.com'], secretName: 'tls' }],
      },
    });
  });

  it('has a name that begins with a letter', async () => {
    const found = await resources('services: {3scale_API: {image: x, ports: ["80"]}}');
    expect([...found.keys()]).toEqual(['Deployment/3scale-api', 'Service/svc-3scale-api']);
  });
});
