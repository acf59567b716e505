import { importCompose, resourcesOf } from '../compose-input.fixture.js';
import { resources, podOf } from './workload.fixture.js';

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
